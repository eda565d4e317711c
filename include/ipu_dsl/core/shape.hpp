// SPDX-License-Identifier: MIT
// The extents of a tensor, as a value.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

/// The extents of one sample or of one parameter; the batch is not part of it.
/// `shape{28, 28}` has rank 2 and 784 elements; `shape{}` is a scalar with one element.
/// Unused places of `extents` are zero, so that equality is plain.
struct shape {
  static constexpr std::int32_t max_rank = 6;

  std::int32_t rank = 0;
  std::int32_t extents[max_rank] = {};

  constexpr shape() = default;

  /// More extents than there is room for are counted, and refused by `check_extents`.
  constexpr shape(std::initializer_list<std::int32_t> values)
      : rank(static_cast<std::int32_t>(values.size())) {
    const std::int32_t* from = values.begin();
    const std::int32_t kept = axes();
    for (std::int32_t axis = 0; axis < kept; ++axis) {
      extents[axis] = from[axis];
    }
  }

  /// How many extents are kept.
  constexpr std::int32_t axes() const { return rank < max_rank ? rank : max_rank; }

  constexpr std::int32_t operator[](std::int32_t axis) const { return extents[axis]; }

  /// The product of all extents, at most 2^62: far above what a tensor may hold.
  constexpr std::int64_t elements() const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::int32_t kept = axes();
    std::int64_t product = 1;
    for (std::int32_t axis = 0; axis < kept; ++axis) {
      const bool beyond = extents[axis] > 0 && product > most / extents[axis];
      product = beyond ? most : product * extents[axis];
    }
    return product;
  }

  friend constexpr bool operator==(const shape&, const shape&) = default;
};

/// What a tensor may hold in all: a parameter, or a micro-batch of what a sample has. Twice as much
/// can still be counted in 32 bits, which leaves room for padding.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 30;

/// As people write it: `(28, 28)`; `()` for a scalar.
constexpr label describe(const shape& extents) {
  label words = "(";
  for (std::int32_t axis = 0; axis < extents.axes(); ++axis) {
    if (axis > 0) {
      words << ", ";
    }
    words << extents[axis];
  }
  words << ")";
  return words;
}

/// What is wrong with extents that a user wrote, or that follow from what one wrote.
constexpr problem check_extents(const shape& extents) {
  if (extents.rank > shape::max_rank) {
    return refuse(label("at most ") << shape::max_rank << " extents", label() << extents.rank);
  }
  for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
    if (extents[axis] < 1) {
      return refuse("extents of at least 1", describe(extents));
    }
  }
  if (extents.elements() > most_elements) {
    return refuse(label("at most ") << most_elements << " elements in a tensor", describe(extents));
  }
  return {};
}

}  // namespace ipu_dsl
