// SPDX-License-Identifier: MIT
// Tests of data/dataset.hpp.
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <ipu_dsl/data/dataset.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using pictures = labelled_dataset<shape{2, 2}, 3>;
using points = labelled_dataset<shape{2}, 2, float>;

static_assert(dataset<pictures>);
static_assert(dataset<points>);
static_assert(!dataset<std::vector<float>>);
static_assert(pictures::sample_shape == shape{2, 2});
static_assert(pictures::classes == 3);

TEST_CASE("bytes become float(byte) / 255, bit for bit") {
  std::vector<std::uint8_t> every_byte(256);
  for (std::size_t i = 0; i < every_byte.size(); ++i) {
    every_byte[i] = static_cast<std::uint8_t>(i);
  }
  const pictures data(every_byte, std::vector<std::int32_t>(64, 1));
  REQUIRE(data.size() == 64);
  int checked = 0;
  for (std::uint32_t sample = 0; sample < 64; ++sample) {
    std::array<float, 5> row = {0, 0, 0, 0, -1.0f};
    data.gather(sample, row.data());
    for (std::uint32_t i = 0; i < 4; ++i) {
      const volatile float byte = static_cast<float>(4 * sample + i);
      CHECK(row[i] == byte / 255.0f);
      ++checked;
    }
    CHECK(row[4] == -1.0f);
  }
  CHECK(checked == 256);
  WARN("checked " << checked << " grey values");
}

TEST_CASE("floats are gathered as they are") {
  const points data({1.0f, 2.0f, -3.0f, 4.5f}, {1, 0});
  std::array<float, 2> row = {};
  data.gather(1, row.data());
  CHECK(row == std::array<float, 2>{-3.0f, 4.5f});
  CHECK(data.label(0) == 1);
  CHECK(data.label(1) == 0);
  CHECK(data.features().size() == 4);
  CHECK(data.labels().size() == 2);
}

TEST_CASE("a data set without samples") {
  CHECK(points().size() == 0);
  CHECK(points({}, {}).size() == 0);
}

TEST_CASE("what does not belong together is refused") {
  CHECK(tests::sentence_of([] { pictures({1, 2, 3}, {0}); }) ==
        "A data set of samples (2, 2) got 3 values for 1 label; expected 4 values for each "
        "label.");
  CHECK(tests::sentence_of([] { pictures({1, 2, 3, 4, 5}, {0}); }) ==
        "A data set of samples (2, 2) got 5 values for 1 label; expected 4 values for each "
        "label.");
  CHECK(tests::sentence_of([] { points({1.0f, 2.0f}, {2}); }) ==
        "The label of sample 0 is 2; expected 0 to 1.");
  CHECK(tests::sentence_of([] { points({1.0f, 2.0f, 3.0f, 4.0f}, {0, -1}); }) ==
        "The label of sample 1 is -1; expected 0 to 1.");
}

TEST_CASE("infinities and NaN are refused unless they are to be kept") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::int32_t> labels = {0, 1};
  const auto refusal = [&](const std::vector<float>& features) {
    return tests::sentence_of([&] { points(features, labels); });
  };
  CHECK(refusal({1.0F, 2.0F, 3.0F, not_a_number}) ==
        "Value 1 of sample 1 is nan; expected finite numbers. Hint: non_finite::kept behind the "
        "labels keeps it.");
  CHECK(refusal({1.0F, -infinity, not_a_number, 4.0F}) ==
        "Value 1 of sample 0 is -inf; expected finite numbers. Hint: non_finite::kept behind the "
        "labels keeps it.");
  CHECK(refusal({3.4e38F, -3.4e38F, 1e-45F, -0.0F}).empty());
  int found = 0;
  for (std::size_t place = 0; place < 300; ++place) {
    std::vector<float> many(300, 1.0F);
    many[place] = place % 2 == 0 ? not_a_number : infinity;
    const std::string said =
        "Value " + std::to_string(place % 2) + " of sample " + std::to_string(place / 2) + " is ";
    found += tests::sentence_of([&] { datasets::check_finite(many, 2); }).starts_with(said) ? 1 : 0;
  }
  CHECK(found == 300);
  const points kept({1.0F, -infinity, not_a_number, 4.0F}, labels, non_finite::kept);
  std::array<float, 2> row = {};
  kept.gather(0, row.data());
  CHECK(row[1] == -infinity);
  // What belongs to the labels is said first, as the float may only be at the wrong place.
  CHECK(tests::sentence_of([&] { points({not_a_number, 1.0F}, labels); }) ==
        "A data set of samples (2) got 2 values for 2 labels; expected 2 values for each label.");
}

}  // namespace
