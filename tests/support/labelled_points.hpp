// SPDX-License-Identifier: MIT
// Points with labels that small models learn within a few updates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/data/dataset.hpp>

namespace ipu_dsl::tests {

/// Points of 8 numbers in 3 classes.
using point_set = labelled_dataset<shape{8}, 3, float>;

/// Numbers in [-1, 1); the class of a point is the largest of its first three.
inline point_set labelled_points(std::int64_t points, std::uint64_t seed) {
  std::vector<float> features;
  std::vector<std::int32_t> labels;
  for (std::int64_t point = 0; point < points; ++point) {
    const std::size_t first = features.size();
    for (std::uint64_t i = 0; i < 8; ++i) {
      features.push_back(2 * uniform_unit(random_word(seed, static_cast<std::uint64_t>(point), i)) -
                         1);
    }
    std::int32_t largest = 0;
    for (std::int32_t i = 1; i < 3; ++i) {
      const bool larger = features[first + static_cast<std::size_t>(i)] >
                          features[first + static_cast<std::size_t>(largest)];
      largest = larger ? i : largest;
    }
    labels.push_back(largest);
  }
  return {std::move(features), std::move(labels)};
}

}  // namespace ipu_dsl::tests
