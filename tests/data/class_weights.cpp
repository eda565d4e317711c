// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <vector>

#include <ipu_dsl/data/class_weights.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using points = labelled_dataset<shape{2}, 3, float>;
using pairs = paired_dataset<shape{2}, shape{1}>;

static_assert(weighable_classes<points> && !weighable_classes<pairs> && !weighable_classes<int>);
static_assert(dataset<class_weighted_dataset<points>>);
static_assert(class_weighted_dataset<points>::inputs.size() == 1);
static_assert(class_weighted_dataset<points>::targets[0].classes == 3);
static_assert(class_weighted_dataset<points>::weights[0].extents == shape{});

/// The weights and labels of all samples, in the order in which a feed gives them.
struct told {
  std::vector<std::int32_t> labels;
  std::vector<float> weights;

  bool operator==(const told&) const = default;
};

template <typename Feed>
told all_of(Feed source) {
  REQUIRE(source.sources().size() == 3);
  float feature[2] = {};
  std::int32_t label = -1;
  float weight = -1;
  const std::vector<source_rows> to = {{dtype::float32, feature, 2, 2},
                                       {dtype::int32, &label, 1, 1},
                                       {dtype::float32, &weight, 1, 1}};
  told found;
  while (source.next({to, 1}) == 1) {
    found.labels.push_back(label);
    found.weights.push_back(weight);
  }
  return found;
}

const std::vector<float> features = {1, 2, 3, 4, 5, 6, 7, 8};
const std::vector<std::int32_t> labels = {2, 0, 1, 2};
const told expected{{2, 0, 1, 2}, {4, 1, 0, 4}};

}  // namespace

TEST_CASE("samples count what their class does") {
  const points data(features, labels);
  const auto weighted = data | class_weighted({1, 0, 4});
  CHECK(weighted.size() == 4);
  CHECK(all_of(make_feed(weighted, 1)) == expected);
  const told shuffled_samples = all_of(make_feed(weighted | shuffled(4), 3));
  REQUIRE(shuffled_samples.labels.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(shuffled_samples.weights[i] ==
          std::vector<float>{1, 0, 4}[static_cast<std::size_t>(shuffled_samples.labels[i])]);
  }
}

TEST_CASE("samples of zipped data count what their class does, times their own weight") {
  const auto data = zipped(feature_column<shape{2}>(features), label_column<3>(labels));
  const auto weighted = data | class_weighted({1, 0, 4});
  CHECK(all_of(make_feed(weighted, 1)) == expected);
  const auto known = zipped(feature_column<shape{2}>(features), label_column<3>(labels),
                            weight_column({0.5F, 2, 3, 0}));
  const auto both = known | class_weighted({1, 0, 4});
  CHECK(all_of(make_feed(both, 1)) == told{{2, 0, 1, 2}, {2, 2, 0, 0}});
}

TEST_CASE("a column of labels makes one of weights") {
  const label_column<3> kinds(labels);
  const auto data =
      zipped(feature_column<shape{2}>(features), kinds, weights_by_class(kinds, {1, 0, 4}));
  CHECK(all_of(make_feed(data, 1)) == expected);
}

TEST_CASE("class weights are as many as classes, finite and not negative") {
  const points data(features, labels);
  CHECK_THROWS_WITH(data | class_weighted({1, 2}),
                    "Data of 3 classes got 2 class weights; expected one for each class.");
  CHECK_THROWS_WITH(data | class_weighted({1, 2, 3, 4}),
                    "Data of 3 classes got 4 class weights; expected one for each class.");
  CHECK_THROWS_WITH(weights_by_class(label_column<3>(labels), {1}),
                    "Data of 3 classes got 1 class weights; expected one for each class.");
  CHECK_THROWS_WITH(class_weighted({1, -2, 3}),
                    "Weight 1 is -2.000000; expected finite numbers of 0 or more.");
  CHECK_THROWS(class_weighted({1, (std::numeric_limits<float>::quiet_NaN)()}));
}
