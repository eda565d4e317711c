// SPDX-License-Identifier: MIT
// Tests of data/generated.hpp.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/generated.hpp>
#include <ipu_dsl/data/mapped.hpp>

#include "data/first_source.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using tests::first_numbers;
using tests::first_numbers_of;
using point = feature_column<shape{2}>;

constexpr auto number_pairs = [](std::uint32_t i, std::span<float> x,
                                 std::span<std::int32_t> kind) {
  x[0] = static_cast<float>(i);
  x[1] = uniform_unit(random_word(5, 0, i));
  kind[0] = static_cast<std::int32_t>(i % 3);
};

TEST_CASE("samples are made of their numbers, the same whenever they are asked for") {
  const auto data = generated<point, label_column<3>>(100, number_pairs);
  static_assert(dataset<decltype(data)>);
  static_assert(decltype(data)::targets[0].classes == 3);
  const std::vector<float> once = first_numbers(data);
  CHECK(once.size() == 200);
  CHECK(once[2 * 7] == 7);
  CHECK(once[2 * 7 + 1] == uniform_unit(random_word(5, 0, 7)));
  CHECK(first_numbers(data) == once);
  CHECK(tests::labels_of(data | take(4)) == std::vector<std::int32_t>{0, 1, 2, 0});
  CHECK(first_numbers(data | shuffled(100), 3) == first_numbers(data | shuffled(100), 3));
  CHECK(tests::sentence_of([] { generated<point, label_column<3>>(-1, number_pairs); }) ==
        "generated makes 0 samples or more, got -1.");
}

/// Writes the first number of every second sample alone, and leaves the label out.
constexpr auto forgetful = [](std::uint32_t i, std::span<float> x, std::span<std::int32_t>) {
  if (i % 2 == 0) {
    x[0] = static_cast<float>(i + 1);
  }
};

TEST_CASE("what a function does not write is 0, and not of another sample") {
  // A row is used again and again, and holds what was there before.
  std::vector<float> rows(2 * 8, -7.0F);
  std::vector<std::int32_t> labels(8, 99);
  const source_rows sources[] = {
      {.type = dtype::float32, .first = rows.data(), .elements = 2, .stride = 2},
      {.type = dtype::int32, .first = labels.data(), .elements = 1, .stride = 1}};
  const std::vector<float> expected = {1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0};

  const auto data = generated<point, label_column<3>>(8, forgetful);
  auto room = data.make_scratch();
  for (std::int32_t row = 0; row < 8; ++row) {
    data.read(room, static_cast<std::uint32_t>(row), sources, row);
  }
  CHECK(rows == expected);
  const std::vector<std::int32_t> zeros(8, 0);
  CHECK(labels == zeros);

  std::fill(rows.begin(), rows.end(), -7.0F);
  std::fill(labels.begin(), labels.end(), 99);
  auto source = from_generator<point, label_column<3>>(
      [i = 0U](std::span<float> x, std::span<std::int32_t> label) mutable {
        forgetful(i, x, label);
        ++i;
        return true;
      },
      8);
  CHECK(source.next({.sources = sources, .micro_batch = 8}) == 8);
  CHECK(rows == expected);
  CHECK(labels == zeros);

  std::fill(rows.begin(), rows.end(), -7.0F);
  std::fill(labels.begin(), labels.end(), 99);
  const auto halved =
      data | mapped<point, label_column<3>>([](std::span<const float> x,
                                               std::span<const std::int32_t>, std::span<float> half,
                                               std::span<std::int32_t>) { half[0] = x[0]; });
  auto other_room = halved.make_scratch();
  for (std::int32_t row = 0; row < 8; ++row) {
    halved.read(other_room, static_cast<std::uint32_t>(row), sources, row);
  }
  CHECK(rows == expected);
  CHECK(labels == zeros);
}

TEST_CASE("infinities and NaN that functions make are no matter of data") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto data = generated<feature_column<shape{1}>, target_column<shape{1}>>(
      2, [](std::uint32_t i, std::span<float> x, std::span<float> y) {
        x[0] = i == 0 ? 1 : infinity;
        y[0] = std::numeric_limits<float>::quiet_NaN();
      });
  CHECK(first_numbers(data) == std::vector<float>{1, infinity});
  CHECK(first_numbers(data | mapped([](std::span<float> x) { x[0] /= 0.0F; })) ==
        std::vector<float>{infinity, infinity});
  CHECK(
      tests::sentence_of([] { feature_column<shape{1}>({1, infinity}); }) ==
      "Value 0 of sample 1 of a feature_column of shape (1) is inf; expected finite numbers. Hint: "
      "non_finite::kept behind its values keeps it.");
}

/// Counts up to `last`; its state is its own.
auto counter(int last) {
  return [next = 0, last](std::span<float> x) mutable {
    x[0] = static_cast<float>(next);
    ++next;
    return next <= last;
  };
}

TEST_CASE("a generator is asked sample by sample, from its beginning in every pass") {
  auto source = from_generator<feature_column<shape{1}>>(counter(1'000), 5);
  static_assert(feed<decltype(source)>);
  CHECK(source.length() == 5);
  CHECK(source.sources().size() == 1);
  CHECK(first_numbers_of(source, 2) == std::vector<float>{0, 1, 2, 3, 4});
  CHECK(first_numbers_of(source, 2).empty());
  source.restart();
  CHECK(first_numbers_of(source, 4) == std::vector<float>{0, 1, 2, 3, 4});
}

TEST_CASE("a generator that says that it is at its end gives no more, and zeros") {
  auto source = from_generator<feature_column<shape{1}>>(counter(3));
  CHECK_FALSE(source.length().has_value());
  std::vector<float> row = {9, 9, 9, 9};
  const source_rows to = {dtype::float32, row.data(), 1, 1};
  CHECK(source.next({{&to, 1}, 4}) == 3);
  CHECK(row == std::vector<float>{0, 1, 2, 0});
  CHECK(tests::sentence_of([] { from_generator<feature_column<shape{1}>>(counter(3), -2); }) ==
        "from_generator gives 0 samples or more, got -2.");
}

TEST_CASE("a function changes whole micro-batches") {
  const auto data = generated<point, label_column<3>>(5, number_pairs);
  int calls = 0;
  auto source =
      mapped_batches(make_feed(data, 1), [&calls](const feed_rows& rows, std::int32_t samples) {
        ++calls;
        for (std::int32_t row = 0; row < samples; ++row) {
          rows.sources[0].floats(row)[1] = static_cast<float>(samples);
        }
      });
  static_assert(feed<decltype(source)>);
  CHECK(source.length() == 5);
  CHECK(first_numbers_of(source, 3) == std::vector<float>{0, 3, 1, 3, 2, 3, 3, 2, 4, 2});
  CHECK(calls == 2);
  auto named = make_feed(data, 1);
  auto other = mapped_batches(named, [](const feed_rows&, std::int32_t) {});
  CHECK(first_numbers_of(other, 3) == first_numbers(data));
  CHECK(first_numbers_of(named, 3).empty());
}

TEST_CASE(
    "a generator goes on where it stood, made anew, and so do batches that a function changes") {
  const auto numbers_behind = [](auto& from, auto& to) {
    to.go_to(from.position());
    return first_numbers_of(to, 2);
  };
  auto first = from_generator<feature_column<shape{1}>>(counter(9));
  std::vector<float> row(4);
  const source_rows rows = {dtype::float32, row.data(), 1, 1};
  CHECK(first.next({{&rows, 1}, 4}) == 4);
  auto second = from_generator<feature_column<shape{1}>>(counter(9));
  static_assert(placed_feed<decltype(second)>);
  CHECK(numbers_behind(first, second) == std::vector<float>{4, 5, 6, 7, 8});
  CHECK(tests::sentence_of([&] { second.go_to(feed_position{10}); }) ==
        "The function of from_generator ended behind 9 samples; it had made 10 before.");
  auto counted = from_generator<feature_column<shape{1}>>(counter(9), 5);
  CHECK(tests::sentence_of([&] { counted.go_to(feed_position{6}); }) ==
        "This is no position among the samples of this from_generator.");

  const auto doubled = [](const feed_rows& of, std::int32_t samples) {
    for (std::int32_t i = 0; i < samples; ++i) {
      of.sources[0].floats(i)[0] *= 2;
    }
  };
  auto changed = mapped_batches(first, doubled);
  auto other = mapped_batches(from_generator<feature_column<shape{1}>>(counter(9)), doubled);
  first.go_to(feed_position{7});
  CHECK(numbers_behind(changed, other) == std::vector<float>{14, 16});
}

}  // namespace
