// SPDX-License-Identifier: MIT
// Tests of data/xtensor.hpp.
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <ipu_dsl/data/xtensor.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#if __has_include(<xtensor/views/xview.hpp>)
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xview.hpp>
#endif

#include "data/first_source.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

TEST_CASE("an xtensor becomes a data set and comes back") {
  xt::xtensor<float, 3> features(std::array<std::size_t, 3>{2, 2, 3});
  for (std::size_t i = 0; i < 12; ++i) {
    features.data()[i] = static_cast<float>(i) / 8.0f;
  }
  const xt::xtensor<std::int32_t, 1> labels = {3, 1};
  const auto data = as_dataset<shape{2, 3}, 4>(features, labels);
  CHECK(data.size() == 2);
  CHECK(data.label(0) == 3);
  std::array<float, 6> row = {};
  data.gather(1, row.data());
  CHECK(row[0] == 0.75f);
  CHECK(row[5] == 1.375f);
  const auto [features_back, labels_back] = to_xtensor(data);
  CHECK(features_back == features);
  CHECK(labels_back == labels);
}

TEST_CASE("expressions of xtensors are columns") {
  const xt::xtensor<double, 3> features = {{{0, 1, 2}}, {{3, 4, 5}}};
  const xt::xtensor<std::int64_t, 1> labels = {3, 1};
  const auto data = zipped(column_of<feature_column<shape{3}>>(2 * features + 1),
                           column_of<label_column<4>>(labels));
  CHECK(tests::first_numbers(data) == std::vector<float>{1, 3, 5, 7, 9, 11});
  CHECK(tests::labels_of(data) == std::vector<std::int32_t>{3, 1});
  CHECK(tests::sentence_of([&] { column_of<feature_column<shape{2}>>(features); }) ==
        "The xtensor has the shape (2, 1, 3); expected samples (2) side by side.");
  const std::vector<float> plain = {1, 2, 3, 4};
  const xt::xtensor<float, 2> held = {{1, 2}, {3, 4}};
  const xt::xtensor<std::int32_t, 1> kinds = {0, 1};
  CHECK(tests::first_numbers(over_arrays<feature_column<shape{2}>, label_column<2>>(held, kinds)) ==
        plain);
  const xt::xtensor<float, 2> longer = {{9, 9}, {1, 2}, {3, 4}};
  const auto view = xt::view(longer, xt::range(1, 3));
  CHECK(tests::first_numbers(over_arrays<feature_column<shape{2}>, label_column<2>>(view, kinds)) ==
        plain);
  CHECK(tests::first_numbers(over_arrays<feature_column<shape{2}>, label_column<2>>(
            xt::view(longer, xt::range(1, 3)), kinds)) == plain);
  static_assert(arrays::ends_with_the_call<xt::xtensor<float, 2>>);
  static_assert(arrays::ends_with_the_call<xt::xarray<std::int32_t>>);
  static_assert(!arrays::ends_with_the_call<const xt::xtensor<float, 2>&>);
}

TEST_CASE("bytes come back divided by 255") {
  const xt::xtensor<std::uint8_t, 2> features = {{0, 255}, {51, 102}};
  const xt::xtensor<std::int32_t, 1> labels = {0, 0};
  const auto [values, labels_back] = to_xtensor(as_dataset<shape{2}, 1>(features, labels));
  CHECK(values(0, 0) == 0.0f);
  CHECK(values(0, 1) == 1.0f);
  CHECK(values(1, 0) == 51.0f / 255.0f);
  CHECK(values(1, 1) == 102.0f / 255.0f);
}

TEST_CASE("a batch is seen with its rank and its extents") {
  const xt::xtensor<float, 3> batch = {{{0.0f, 1.0f, 2.0f}, {3.0f, 4.0f, 5.0f}}};
  const auto view = view_of(batch);
  static_assert(decltype(view)::rank == 3);
  CHECK(view.extents == std::array<std::int64_t, 3>{1, 2, 3});
  CHECK(view.elements.data() == batch.data());
  CHECK(view.elements.size() == 6);
  CHECK(view.elements[5] == 5.0f);
}

TEST_CASE("extents, counts and labels that do not fit are refused") {
  const xt::xtensor<float, 2> features = {{0.0f, 1.0f}, {2.0f, 3.0f}};
  const xt::xtensor<std::int32_t, 1> labels = {0, 5};
  const xt::xtensor<std::int32_t, 1> one = {0};
  CHECK(tests::sentence_of([&] { as_dataset<shape{3}, 9>(features, labels); }) ==
        "Dimension 1 of the features is 2; samples (3) expect 3.");
  CHECK(tests::sentence_of([&] { as_dataset<shape{2}, 9>(features, one); }) ==
        "A data set of samples (2) got 4 values for 1 label; expected 2 values for each label.");
  CHECK(tests::sentence_of([&] { as_dataset<shape{2}, 5>(features, labels); }) ==
        "The label of sample 1 is 5; expected 0 to 4.");
}

TEST_CASE("infinities of an xtensor are refused unless they are to be kept") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const xt::xtensor<float, 2> features = {{0.0f, 1.0f}, {infinity, 3.0f}};
  const xt::xtensor<std::int32_t, 1> labels = {0, 1};
  CHECK(tests::sentence_of([&] { as_dataset<shape{2}, 2>(features, labels); }) ==
        "Value 0 of sample 1 is inf; expected finite numbers. Hint: non_finite::kept behind the "
        "labels keeps it.");
  const auto kept = as_dataset<shape{2}, 2>(features, labels, non_finite::kept);
  CHECK(kept.features()[2] == infinity);
}

}  // namespace
