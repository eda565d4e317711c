// SPDX-License-Identifier: MIT
// The extents of a tensor, as a value.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl {

/// The extents of one sample or of one parameter; the batch is not part of it.
/// `shape{28, 28}` has rank 2 and 784 elements; `shape{}` is a scalar with one element.
/// Unused places of `extents` are zero, so that equality is plain.
struct shape {
  static constexpr std::int32_t max_rank = 6;

  std::int32_t rank = 0;
  std::int32_t extents[max_rank] = {};

  constexpr shape() = default;

  constexpr shape(std::initializer_list<std::int32_t> values) {
    for (const std::int32_t extent : values) {
      extents[rank] = extent;
      ++rank;
    }
  }

  constexpr std::int32_t operator[](std::int32_t axis) const { return extents[axis]; }

  /// The product of all extents.
  constexpr std::int64_t elements() const {
    std::int64_t product = 1;
    for (std::int32_t axis = 0; axis < rank; ++axis) {
      product *= extents[axis];
    }
    return product;
  }

  friend constexpr bool operator==(const shape&, const shape&) = default;
};

/// As people write it: `(28, 28)`; `()` for a scalar.
constexpr label describe(const shape& extents) {
  label words = "(";
  for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
    if (axis > 0) {
      words << ", ";
    }
    words << extents[axis];
  }
  words << ")";
  return words;
}

}  // namespace ipu_dsl
