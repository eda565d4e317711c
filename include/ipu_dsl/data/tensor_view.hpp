// SPDX-License-Identifier: MIT
// Numbers that a user holds, with their shape: the rank in the type, the extents beside the
// numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// A dense row-major tensor of `Rank` axes that somebody else owns.
template <typename T, int Rank>
struct tensor_view {
  static constexpr int rank = Rank;

  std::span<T> elements;
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> extents{};
};

}  // namespace ipu_dsl
