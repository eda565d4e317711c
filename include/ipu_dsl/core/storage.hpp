// SPDX-License-Identifier: MIT
// How the elements of a tensor lie in memory, by name; layout/ knows the arithmetic.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/shape.hpp>

namespace ipu_dsl {

enum class storage : std::int32_t {
  rows,     ///< [batch][elements of a sample], each row padded to whole vectors
  columns,  ///< [elements of a sample][batch], each row padded to whole vectors
  /// Weights in column panels: [inputs, outputs], or with more axes before these, of which each
  /// position is a stretch of rows in every panel: a convolution's kernel.
  panels,
  panel_bias,  ///< one element for every column of the panels
  plain,       ///< contiguous, padded at the end to whole vectors
  positions    ///< [batch][all axes but the last][the last], each of these padded to whole vectors:
               ///< pixels and channels, steps and features
};

/// The most floats that a vector has on any processor.
inline constexpr std::int32_t widest_vector = 16;

/// Whether a sample of these extents lies otherwise in `positions` than in `rows`, on some
/// processor: what a model computes, and in which calls, is the same on all.
constexpr bool pads_positions(const shape& extents) {
  const std::int32_t last = extents.rank > 1 ? extents[extents.rank - 1] : 0;
  return last % widest_vector != 0 && last != extents.elements();
}

/// Storages in order of preference.
class storage_order {
 public:
  constexpr storage_order() = default;

  constexpr storage_order(storage only) : kinds_{only}, count_(1) {}

  constexpr storage_order(storage first, storage second) : kinds_{first, second}, count_(2) {}

  constexpr bool has(storage lies) const {
    bool found = false;
    for (std::int32_t i = 0; i < count_; ++i) {
      found = found || kinds_[i] == lies;
    }
    return found;
  }

  /// The first that another has as well, or `otherwise`.
  constexpr storage first_of(const storage_order& others, storage otherwise) const {
    for (std::int32_t i = 0; i < count_; ++i) {
      if (others.has(kinds_[i])) {
        return kinds_[i];
      }
    }
    return otherwise;
  }

  /// `lies` if it is among them, else what is preferred.
  constexpr storage nearest(storage lies) const { return has(lies) ? lies : kinds_[0]; }

 private:
  storage kinds_[2] = {};
  std::int32_t count_ = 0;
};

}  // namespace ipu_dsl
