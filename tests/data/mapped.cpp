// SPDX-License-Identifier: MIT
// Tests of data/mapped.hpp, and of what makes data of data in any order.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/data/cached.hpp>
#include <ipu_dsl/data/class_weights.hpp>
#include <ipu_dsl/data/concatenated.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/mapped.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/picked.hpp>
#include <ipu_dsl/data/windowed.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "data/first_source.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using tests::first_numbers;
using tests::labels_of;
using points = labelled_dataset<shape{2}, 4, float>;

/// Sample i is (i, 10 i) of class i % 4.
points some_points(int count) {
  std::vector<float> features;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < count; ++i) {
    features.push_back(static_cast<float>(i));
    features.push_back(static_cast<float>(10 * i));
    labels.push_back(i % 4);
  }
  return points(features, labels);
}

constexpr auto negate = [](std::span<float> x) {
  for (float& each : x) {
    each = -each;
  }
};

constexpr auto is_even = [](std::span<const float> x) { return static_cast<int>(x[0]) % 2 == 0; };

using negated = decltype(std::declval<const points&>() | mapped(negate));
static_assert(dataset<negated> && reads_samples<negated> && zippable<negated>);
static_assert(negated::inputs[0].extents == shape{2} && negated::targets[0].classes == 4);

TEST_CASE("a function changes the input of every element") {
  const points data = some_points(3);
  const auto changed = data | mapped(negate);
  CHECK(changed.size() == 3);
  CHECK(first_numbers(changed) == std::vector<float>{0, 0, -1, -10, -2, -20});
  CHECK(labels_of(changed) == std::vector<std::int32_t>{0, 1, 2});
  CHECK(first_numbers(data) == std::vector<float>{0, 0, 1, 10, 2, 20});
}

TEST_CASE("a function takes as many sources as it says, of lengths that the compiler knows") {
  const points data = some_points(3);
  const auto changed = data | mapped([](std::span<float, 2> x, std::span<std::int32_t, 1> label) {
                         x[0] += static_cast<float>(label[0]);
                         label[0] = 3 - label[0];
                       });
  CHECK(first_numbers(changed) == std::vector<float>{0, 0, 2, 10, 4, 20});
  CHECK(labels_of(changed) == std::vector<std::int32_t>{3, 2, 1});
}

TEST_CASE("a function makes elements of another form") {
  const points data = some_points(3);
  const auto sums =
      data | mapped<feature_column<shape{1}>, target_column<shape{2}>>(
                 [](std::span<const float> x, std::span<float> sum, std::span<float> same) {
                   sum[0] = x[0] + x[1];
                   same[0] = x[0];
                   same[1] = x[1];
                 });
  static_assert(decltype(sums)::inputs[0].extents == shape{1});
  static_assert(decltype(sums)::targets[0].extents == shape{2});
  CHECK(first_numbers(sums) == std::vector<float>{0, 11, 22});
}

TEST_CASE("a predicate picks samples") {
  const points data = some_points(5);
  const auto even = data | filtered(is_even);
  CHECK(first_numbers(even) == std::vector<float>{0, 0, 2, 20, 4, 40});
  CHECK(labels_of(even) == std::vector<std::int32_t>{0, 2, 0});
  CHECK((data | filtered([](std::span<const float>, std::span<const std::int32_t> label) {
           return label[0] == 0;
         })).size() == 2);
}

TEST_CASE("what makes data of data stands in any order, before and behind shuffled") {
  const points data = some_points(20);
  const auto one = data | filtered(is_even) | mapped(negate) | shuffled(10) | take(7);
  const auto other = data | filtered(is_even) | shuffled(10) | mapped(negate) | take(7);
  const auto last = data | filtered(is_even) | shuffled(10) | take(7) | mapped(negate) | cached();
  const std::vector<float> expected = first_numbers(one);
  CHECK(expected.size() == 14);
  CHECK(first_numbers(other) == expected);
  CHECK(first_numbers(last) == expected);
}

TEST_CASE("data that nobody keeps are taken in, by orders and by feeds") {
  const auto order = some_points(3) | mapped(negate) | take(2);
  CHECK(first_numbers(order) == std::vector<float>{0, 0, -1, -10});
  auto source = make_feed(some_points(3) | shuffled(1) | repeated(2), 1);
  CHECK(source.length() == 6);
  CHECK(tests::first_numbers_of(source, 2) ==
        std::vector<float>{0, 0, 1, 10, 2, 20, 0, 0, 1, 10, 2, 20});
  auto moved = std::move(source);
  moved.restart();
  CHECK(tests::first_numbers_of(moved, 2).size() == 12);
}

TEST_CASE("what is cached is read once") {
  const points data = some_points(4);
  int calls = 0;
  const auto kept = data | mapped([&calls](std::span<float> x) {
                      ++calls;
                      x[0] = 7;
                    }) |
                    cached();
  CHECK(calls == 4);
  CHECK(first_numbers(kept) == std::vector<float>{7, 0, 7, 10, 7, 20, 7, 30});
  CHECK(labels_of(kept) == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(calls == 4);
}

TEST_CASE("a fixed order is that of one pass, again and again") {
  const points data = some_points(50);
  const auto order = data | shuffled(50) | take(20);
  const auto fixed = order | fixed_order(3) | filtered(is_even);
  CHECK(fixed.size() > 0);
  CHECK(fixed.size() < 20);
  CHECK(first_numbers(fixed) == first_numbers(fixed));
  CHECK(first_numbers(order | fixed_order(3)) == tests::first_numbers(order, 3));
  CHECK(first_numbers(order | fixed_order(4)) != first_numbers(order | fixed_order(3)));
  CHECK(tests::sentence_of([&] { static_cast<void>(data | repeated() | fixed_order(1)); }) ==
        "fixed_order needs data with an end; these are repeated without one.");
}

TEST_CASE("data stand behind data of the same form") {
  const points first = some_points(2);
  const auto both = concatenated(first, some_points(3) | mapped(negate), first);
  CHECK(both.size() == 7);
  CHECK(first_numbers(both) ==
        std::vector<float>{0, 0, 1, 10, 0, 0, -1, -10, -2, -20, 0, 0, 1, 10});
  CHECK(labels_of(both) == std::vector<std::int32_t>{0, 1, 0, 1, 2, 0, 1});
  const labelled_dataset<shape{2}, 9, float> more({1, 2}, {8});
  CHECK(decltype(concatenated(first, more))::targets[0].classes == 9);
}

TEST_CASE("data that are made of others are zipped and weighed as well") {
  const points data = some_points(3);
  const auto both = zipped(data | mapped(negate), feature_column<shape{1}>({5, 6, 7}),
                           some_points(3) | class_weighted({1, 2, 3, 4}));
  static_assert(decltype(both)::inputs.size() == 3 && decltype(both)::targets.size() == 2);
  static_assert(decltype(both)::weights.size() == 1);
  std::array<float, 2> first;
  std::array<float, 1> second;
  std::array<float, 2> third;
  std::array<std::int32_t, 2> labels;
  std::array<float, 1> weight;
  const std::array<source_rows, 6> to = {{{dtype::float32, first.data(), 2, 2},
                                          {dtype::float32, second.data(), 1, 1},
                                          {dtype::float32, third.data(), 2, 2},
                                          {dtype::int32, labels.data(), 1, 1},
                                          {dtype::int32, labels.data() + 1, 1, 1},
                                          {dtype::float32, weight.data(), 1, 1}}};
  auto source = make_feed(both | skip(2), 1);
  REQUIRE(source.next({to, 1}) == 1);
  CHECK(first == std::array<float, 2>{-2, -20});
  CHECK(second[0] == 7);
  CHECK(third == std::array<float, 2>{2, 20});
  CHECK(labels == std::array<std::int32_t, 2>{2, 2});
  CHECK(weight[0] == 3);
  // For predictions inputs alone are asked for.
  source.restart();
  first.fill(0);
  CHECK(source.next({std::span(to).first(3), 1}) == 1);
  CHECK(first == std::array<float, 2>{-2, -20});
}

using series_type = paired_dataset<shape{1}, shape{1}>;

/// Step i is i, its target 100 + i.
series_type count_to(int steps) {
  std::vector<float> features;
  std::vector<float> targets;
  for (int i = 0; i < steps; ++i) {
    features.push_back(static_cast<float>(i));
    targets.push_back(static_cast<float>(100 + i));
  }
  return series_type(features, targets);
}

TEST_CASE("windows of a series have the target of one step") {
  const series_type series = count_to(8);
  const auto windows = series | windowed<3>({.stride = 2});
  static_assert(decltype(windows)::inputs[0].extents == shape{3, 1});
  static_assert(decltype(windows)::targets[0].extents == shape{1});
  CHECK(first_numbers(windows) == std::vector<float>{0, 1, 2, 2, 3, 4, 4, 5, 6});
  CHECK(tests::targets_of(windows) == std::vector<float>{102, 104, 106});
  const auto far_ahead = series | windowed<2>({.every = 3, .target_offset = 5});
  CHECK(first_numbers(far_ahead) == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(tests::targets_of(far_ahead) == std::vector<float>{105, 106, 107});
}

TEST_CASE("windows of a series have a target for each step") {
  const auto windows =
      count_to(5) | windowed<2, window_targets::each_step>({.stride = 2, .target_offset = 1});
  static_assert(decltype(windows)::targets[0].extents == shape{2, 1});
  CHECK(first_numbers(windows) == std::vector<float>{0, 1, 2, 3});
  CHECK(tests::targets_of(windows) == std::vector<float>{101, 102, 103, 104});
  const auto pairs = count_to(5) | batched<2>();
  CHECK(first_numbers(pairs) == std::vector<float>{0, 1, 2, 3});
  CHECK(tests::targets_of(pairs) == std::vector<float>{100, 101, 102, 103});
}

TEST_CASE("windows that a series has no room for are refused") {
  const series_type series = count_to(4);
  CHECK((series | windowed<4>()).size() == 1);
  CHECK(tests::sentence_of([&] {
          static_cast<void>(series | windowed<4>({.target_offset = 4}));
        }) == "A window of 4 steps and its target reach over 5; there are 4.");
  CHECK(tests::sentence_of([&] { static_cast<void>(series | batched<5>()); }) ==
        "Elements of 5 samples reach over 5; there are 4.");
  CHECK((series | batched<3>()).size() == 1);
  CHECK(tests::sentence_of([&] { static_cast<void>(series | windowed<2>({.stride = 0})); }) ==
        "windowed needs a stride and steps between elements of 1 to 4294967295 and a target offset "
        "of 0 or more, got 0, 1 and 1.");
}

}  // namespace
