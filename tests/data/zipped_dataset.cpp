// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using features = feature_column<shape{2}>;
using words = index_column<shape{3}, 9>;
using labels = label_column<4>;
using prices = target_column<shape{1}>;
using houses = zipped_dataset<features, labels, words, prices>;

static_assert(zippable<features> && zippable<labels> && zippable<paired_dataset<{1}, {1}>>);
static_assert(zippable<houses> && !zippable<transformed<houses>> && !zippable<int>);
static_assert(dataset<houses> && !dataset<features> && !dataset<labels>);

constexpr bool same(const data_source& found, const shape& extents, dtype type,
                    std::int32_t classes) {
  return found.extents == extents && found.type == type && found.classes == classes;
}

static_assert(houses::inputs.size() == 2 && houses::targets.size() == 2);
static_assert(same(houses::inputs[0], {2}, dtype::float32, 0));
static_assert(same(houses::inputs[1], {3}, dtype::int32, 9));
static_assert(same(houses::targets[0], {}, dtype::int32, 4));
static_assert(same(houses::targets[1], {1}, dtype::float32, 0));

houses three_houses() {
  return zipped(features({1, 2, 3, 4, 5, 6}), labels({3, 0, 1}), words({0, 1, 2, 3, 4, 5, 6, 7, 8}),
                prices({10, 20, 30}));
}

/// Rows of four sources for two samples, each padded by one number.
struct rows_of_two {
  std::vector<float> feature = std::vector<float>(6, -1);
  std::vector<std::int32_t> word = std::vector<std::int32_t>(8, -1);
  std::vector<std::int32_t> label = std::vector<std::int32_t>(2, -1);
  std::vector<float> price = std::vector<float>(4, -1);
  std::vector<source_rows> sources = {{dtype::float32, feature.data(), 2, 3},
                                      {dtype::int32, word.data(), 3, 4},
                                      {dtype::int32, label.data(), 1, 1},
                                      {dtype::float32, price.data(), 1, 2}};

  feed_rows rows() { return {sources, 2}; }
};

}  // namespace

TEST_CASE("zipped columns fill their sources, inputs first") {
  const houses data = three_houses();
  CHECK(data.size() == 3);
  auto source = make_feed(data, 1);
  CHECK(source.sources().size() == 4);
  rows_of_two to;
  CHECK(source.next(to.rows()) == 2);
  CHECK(to.feature == std::vector<float>{1, 2, 0, 3, 4, 0});
  CHECK(to.word == std::vector<std::int32_t>{0, 1, 2, 0, 3, 4, 5, 0});
  CHECK(to.label == std::vector<std::int32_t>{3, 0});
  CHECK(to.price == std::vector<float>{10, 0, 20, 0});
  CHECK(source.next(to.rows()) == 1);
  CHECK(to.feature == std::vector<float>{5, 6, 0, 0, 0, 0});
  CHECK(to.label == std::vector<std::int32_t>{1, 0});
  CHECK(to.price == std::vector<float>{30, 0, 0, 0});
}

TEST_CASE("zipped columns stay together when they are shuffled") {
  std::vector<float> numbers;
  std::vector<std::int32_t> classes;
  for (std::int32_t i = 0; i < 40; ++i) {
    numbers.push_back(static_cast<float>(i));
    classes.push_back(i);
  }
  const auto data = zipped(feature_column<shape{1}>(numbers), label_column<40>(classes));
  auto source = make_feed(data | shuffled(40), 7);
  std::vector<float> feature(1);
  std::vector<std::int32_t> label(1);
  const std::vector<source_rows> to = {{dtype::float32, feature.data(), 1, 1},
                                       {dtype::int32, label.data(), 1, 1}};
  int checked = 0;
  int moved = 0;
  while (source.next({to, 1}) == 1) {
    CHECK(label[0] == static_cast<std::int32_t>(feature[0]));
    moved += label[0] != checked ? 1 : 0;
    ++checked;
  }
  CHECK(checked == 40);
  CHECK(moved > 20);
}

TEST_CASE("columns of different lengths are refused") {
  CHECK_THROWS_WITH(zipped(features({1, 2}), labels({0, 1})),
                    "What is zipped has equally many samples, got 1 and 2.");
}

TEST_CASE("columns refuse what they cannot hold") {
  CHECK_THROWS_WITH(features({1, 2, 3}),
                    "A column of rows (2) got 3 values; expected a multiple of 2.");
  CHECK_THROWS_WITH(labels({0, 4}), "Label 1 of a column is 4; expected 0 to 3.");
  CHECK_THROWS_WITH(words({0, 1, -1}), "Index 2 of a column is -1; expected 0 to 8.");
  const float nan = (std::numeric_limits<float>::quiet_NaN)();
  CHECK_THROWS(features({1, nan}));
  CHECK_THROWS(prices({nan}));
  CHECK(features({1, nan}, non_finite::kept).size() == 1);
}

TEST_CASE("weights are the last source of what is zipped") {
  const auto data = zipped(weight_column({0.5F, 0, 2}), features({1, 2, 3, 4, 5, 6}),
                           weight_column<shape{2}>({1, 2, 3, 4, 5, 6}), labels({3, 0, 1}));
  static_assert(decltype(data)::inputs.size() == 1 && decltype(data)::targets.size() == 1);
  static_assert(same(decltype(data)::weights[0], {}, dtype::float32, 0));
  static_assert(same(decltype(data)::weights[1], {2}, dtype::float32, 0));
  auto source = make_feed(data, 1);
  REQUIRE(source.sources().size() == 4);
  std::vector<float> feature(6);
  std::vector<std::int32_t> label(3);
  std::vector<float> weight(6, -1);
  std::vector<float> weights(6, -1);
  const std::vector<source_rows> to = {{dtype::float32, feature.data(), 2, 2},
                                       {dtype::int32, label.data(), 1, 1},
                                       {dtype::float32, weight.data(), 1, 2},
                                       {dtype::float32, weights.data(), 2, 2}};
  CHECK(source.next({to, 3}) == 3);
  CHECK(label == std::vector<std::int32_t>{3, 0, 1});
  CHECK(weight == std::vector<float>{0.5F, 0, 0, 0, 2, 0});
  CHECK(weights == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("weights are finite numbers of 0 or more") {
  CHECK_THROWS_WITH(weight_column({1, -2}),
                    "Weight 1 is -2.000000; expected finite numbers of 0 or more.");
  CHECK_THROWS_WITH(weight_column({(std::numeric_limits<float>::infinity)()}),
                    "Weight 0 is inf; expected finite numbers of 0 or more.");
  CHECK_THROWS(weight_column<shape{2}>({1, 2, 3}));
}
