// SPDX-License-Identifier: MIT
// How the outputs of a product are walked in register tiles, all of them or those of a grain.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The columns of a layer as full panels and the vectors of the last one that hold units.
struct panel_columns {
  std::int32_t width;    ///< elements of a panel's row
  std::int32_t vectors;  ///< vectors of a panel's row
  std::int32_t full_panels;
  std::int32_t rest_vectors;  ///< of one more panel; zero if there is none

  constexpr panel_columns(std::int32_t outputs, layout::architecture target)
      : width(layout::panel_width(outputs, target)),
        vectors(width / target.lanes),
        full_panels(layout::ceiling_quotient(outputs, target.lanes) / vectors),
        rest_vectors(layout::ceiling_quotient(outputs, target.lanes) % vectors) {}
};

/// How `extent` rows are cut into register tiles of `vectors` vectors.
constexpr layout::balanced_split row_tiles(std::int32_t extent, std::int32_t vectors,
                                           layout::architecture target) {
  return layout::split_evenly(extent, layout::max_tile_rows(vectors, target));
}

/// Calls `body(std::integral_constant<int, size>, first)` for the parts from `parts.begin` to
/// `parts.end` of those into which `Extent` is cut evenly, at most `Limit` each, in ascending
/// order. There are at most two sizes.
template <int Extent, int Limit, typename Body>
IPU_DSL_ALWAYS_INLINE void parts_of(const index_range& parts, const Body& body) {
  constexpr layout::balanced_split split = layout::split_evenly(Extent, Limit);
  std::int32_t part = parts.begin;
  for (; part < split.larger && part < parts.end; ++part) {
    body(std::integral_constant<int, split.size>(), split.begin(part));
  }
  if constexpr (split.smaller > 0) {
    for (; part < parts.end; ++part) {
      body(std::integral_constant<int, split.size - 1>(), split.begin(part));
    }
  }
}

/// The same for the tiles that cover `Extent` rows with `Vectors` vectors each:
/// `body(std::integral_constant<int, rows>, first row)`.
template <layout::architecture Architecture, int Extent, int Vectors, typename Body>
IPU_DSL_ALWAYS_INLINE void tile_rows(const index_range& tiles, const Body& body) {
  parts_of<Extent, layout::max_tile_rows(Vectors, Architecture)>(tiles, body);
}

/// The same for runs of tiles of one size: `body(rows of each, first row, how many)`.
template <layout::architecture Architecture, int Extent, int Vectors, typename Body>
IPU_DSL_ALWAYS_INLINE void tile_runs(const index_range& tiles, const Body& body) {
  constexpr layout::balanced_split split = row_tiles(Extent, Vectors, Architecture);
  const std::int32_t between = tiles.end < split.larger ? tiles.end : split.larger;
  if (tiles.begin < between) {
    body(std::integral_constant<int, split.size>(), split.begin(tiles.begin),
         between - tiles.begin);
  }
  if constexpr (split.smaller > 0) {
    const std::int32_t first = tiles.begin < split.larger ? split.larger : tiles.begin;
    if (first < tiles.end) {
      body(std::integral_constant<int, split.size - 1>(), split.begin(first), tiles.end - first);
    }
  }
}

/// Rows of what is made row by row, sums first, between which a processor changes: of one row the
/// steps wait for each other, and a sum ends in a chain of steps by one number. (softmax of 64:
/// 0.78 of the time with sixteen lanes, 0.87 with eight; of 16 rows no less.)
inline constexpr std::int32_t rows_in_turn = 8;

/// Calls `body` for the blocks of at most `size` into which `extent` is cut, in ascending order:
/// once for a block of nothing if there is nothing.
template <typename Body>
IPU_DSL_ALWAYS_INLINE void blocks_of(std::int32_t extent, std::int32_t size, const Body& body) {
  index_range block = {0, size < extent ? size : extent};
  body(block);
  while (block.end < extent) {
    block = {block.end, size < extent - block.end ? block.end + size : extent};
    body(block);
  }
}

/// Columns of `tiles` tiles each, of which those of `mine` are some: calls `body(column, its
/// tiles)` for every column with some of them, in ascending order.
template <typename Body>
IPU_DSL_ALWAYS_INLINE void columns_in_range(std::int32_t tiles, const index_range& mine,
                                            const Body& body) {
  for (std::int32_t block = mine.begin; block < mine.end;) {
    const std::int32_t column = block / tiles;
    const std::int32_t first = block - column * tiles;
    const std::int32_t left = mine.end - block;
    const std::int32_t last = first + left < tiles ? first + left : tiles;
    body(column, index_range{first, last});
    block += last - first;
  }
}

/// The same of those that a grain holds of `columns` columns.
template <typename Body>
IPU_DSL_ALWAYS_INLINE void columns_of_grain(std::int32_t columns, std::int32_t tiles,
                                            const grain& part, const Body& body) {
  columns_in_range(tiles, range_of(columns * tiles, part), body);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
