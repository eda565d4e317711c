// SPDX-License-Identifier: MIT
// Blocks of outputs that are computed in registers: how large they are and how extents are cut.
#pragma once

#include <cstdint>

#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout {

/// A block of `rows` x `vectors` accumulators: one outer product a step of the reduction.
struct register_tile {
  std::int32_t rows;
  std::int32_t vectors;

  friend constexpr bool operator==(const register_tile&, const register_tile&) = default;
};

/// The most vectors side by side in a tile. With four, fewer rows share each vector of weights and
/// tiles over large layers wait for the second-level cache (8 and 16 lanes alike).
inline constexpr std::int32_t max_tile_vectors = 3;

/// Whether accumulators, one row of operands and one broadcast stay in registers. One tile beyond
/// this spills and runs at a third of the speed (measured on g++ 12 and clang 14).
constexpr bool fits_registers(register_tile tile, architecture target) {
  return tile.rows * tile.vectors + tile.vectors + 1 <= target.registers;
}

/// Multiply-adds of a tile per cycle in thousandths of the peak. A step costs the larger of the
/// multiply-adds (two a cycle), the loads (two a cycle) and the latency of an accumulator's chain
/// (four cycles); within 8 points of what tiles measure on AVX2.
constexpr std::int32_t efficiency(register_tile tile, architecture target) {
  if (!fits_registers(tile, target)) {
    return 0;
  }
  const std::int32_t multiply_adds = tile.rows * tile.vectors;
  const std::int32_t loads = tile.rows + tile.vectors;
  constexpr std::int32_t latency = 9;
  std::int32_t half_cycles = multiply_adds > loads ? multiply_adds : loads;
  half_cycles = half_cycles > latency ? half_cycles : latency;
  return 1000 * multiply_adds / half_cycles;
}

/// The most rows of a tile with `vectors` vectors.
constexpr std::int32_t max_tile_rows(std::int32_t vectors, architecture target) {
  return (target.registers - 1) / vectors - 1;
}

/// How many vectors side by side cover `vectors` of them at least cost, the last tile having those
/// that remain. Of equals the widest: it reads the broadcast operand least often.
constexpr std::int32_t tile_vectors(std::int32_t vectors, architecture target) {
  constexpr std::int64_t scale = 1'000'000;
  std::int32_t best = 1;
  std::int64_t best_cost = 0;
  for (std::int32_t width = 1; width <= max_tile_vectors && width <= vectors; ++width) {
    const std::int32_t rest = vectors % width;
    std::int64_t cost =
        scale * (vectors - rest) / efficiency({max_tile_rows(width, target), width}, target);
    if (rest > 0) {
      cost += scale * rest / efficiency({max_tile_rows(rest, target), rest}, target);
    }
    if (width == 1 || cost <= best_cost) {
      best = width;
      best_cost = cost;
    }
  }
  return best;
}

/// An extent cut into parts whose sizes differ by at most one: first `larger` parts of `size`, then
/// `smaller` parts of `size - 1`. A remainder tile would be short of accumulators: 33 rows as five
/// tiles of six and one of three run at 82 % where balanced ones reach 98 %.
struct balanced_split {
  std::int32_t size;
  std::int32_t larger;
  std::int32_t smaller;

  constexpr std::int32_t parts() const { return larger + smaller; }

  /// Where a part begins; that of one part more is the extent.
  constexpr std::int32_t begin(std::int32_t part) const {
    return part < larger ? part * size : part * (size - 1) + larger;
  }
};

/// `extent` in the fewest parts of at most `limit`: 32 by 6 is 2 x 6 + 4 x 5.
constexpr balanced_split split_evenly(std::int32_t extent, std::int32_t limit) {
  const std::int32_t parts = ceiling_quotient(extent, limit);
  const std::int32_t size = ceiling_quotient(extent, parts);
  const std::int32_t smaller = parts * size - extent;
  return {size, parts - smaller, smaller};
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
