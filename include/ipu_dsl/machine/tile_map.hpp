// SPDX-License-Identifier: MIT
// How the tiles of a machine share an operator's output: a grid of blocks, at most four shapes.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/deal.hpp>

namespace ipu_dsl {

/// What one tile computes of an output [rows, columns].
struct tile_block {
  std::int64_t row_begin = 0;
  std::int64_t row_end = 0;
  std::int64_t column_begin = 0;
  std::int64_t column_end = 0;

  constexpr std::int64_t rows() const { return row_end - row_begin; }

  constexpr std::int64_t columns() const { return column_end - column_begin; }

  constexpr std::int64_t elements() const { return rows() * columns(); }

  friend constexpr bool operator==(const tile_block&, const tile_block&) = default;
};

/// Blocks of one shape, and how many tiles have one.
struct block_class {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t count = 0;

  constexpr std::int64_t elements() const { return rows * columns; }
};

/// The shapes of all blocks of an output; the first is the largest.
struct block_classes {
  block_class shapes[4];
  std::int32_t count = 0;
};

/// Tiles in a grid over the output.
struct tile_grid {
  std::int64_t tile_rows = 1;
  std::int64_t tile_columns = 1;
};

/// What a tile of an Mk2 multiplies and adds in the time in which it receives one float: its matrix
/// unit takes 16 pairs a cycle, the exchange brings 4 bytes. The same for all targets, so that maps
/// differ by the number of tiles alone.
inline constexpr std::int64_t products_per_received_float = 16;

/// What a block costs in its superstep, by step of the reduction: a block of r x c outputs of a
/// product over k makes k r c products and receives k (r + c) numbers.
constexpr std::int64_t block_cost(std::int64_t rows, std::int64_t columns) {
  return rows * columns + products_per_received_float * (rows + columns);
}

/// The grid of at most `tiles` tiles whose largest block costs least: nearly the fewest elements,
/// but never a long block where a square one reads far less. Of the grids with that largest block
/// it has the fewest tiles.
///
/// Only the most tile rows that leave room for the same number of tile columns need be looked at,
/// so that the search takes at most 2 sqrt(tiles) steps. All three arguments are at least 1.
constexpr tile_grid choose_grid(std::int64_t rows, std::int64_t columns, std::int64_t tiles) {
  std::int64_t best_rows = rows;
  std::int64_t best_columns = columns;
  std::int64_t best_cost = block_cost(rows, columns);
  // With fewer tile rows than these, every column has a tile of its own already.
  const std::int64_t first = tiles / columns;
  std::int64_t tile_rows = first < 1 ? 1 : first < rows ? first : rows;
  for (;;) {
    const std::int64_t beside = tiles / tile_rows;
    const std::int64_t most = tiles / beside;
    const std::int64_t down = most < rows ? most : rows;
    const std::int64_t across = beside < columns ? beside : columns;
    const std::int64_t block_rows = (rows + down - 1) / down;
    const std::int64_t block_columns = (columns + across - 1) / across;
    const std::int64_t cost = block_cost(block_rows, block_columns);
    if (cost < best_cost) {
      best_cost = cost;
      best_rows = block_rows;
      best_columns = block_columns;
    }
    if (most >= rows || most >= tiles) {
      return {(rows + best_rows - 1) / best_rows, (columns + best_columns - 1) / best_columns};
    }
    tile_rows = most + 1;
  }
}

/// Deals an output [rows, columns] over at most so many tiles, each of which gets a block. Every
/// element of the output is computed by one tile in one go: reductions are never split, and so no
/// number depends on how many tiles there are.
class tile_map {
 public:
  /// In blocks of rows and columns.
  constexpr tile_map(std::int64_t rows, std::int64_t columns, std::int64_t tiles)
      : tile_map(rows, columns, choose_grid(rows, columns, tiles)) {}

  constexpr tile_map(std::int64_t rows, std::int64_t columns, const tile_grid& grid)
      : rows_{rows, grid.tile_rows}, columns_{columns, grid.tile_columns} {}

  /// In blocks of whole rows, for operators that look at a row in one piece, such as a softmax.
  static constexpr tile_map of_whole_rows(std::int64_t rows, std::int64_t columns,
                                          std::int64_t tiles) {
    return {rows, columns, tile_grid{choose_grid(rows, 1, tiles).tile_rows, 1}};
  }

  constexpr std::int64_t rows() const { return rows_.extent; }

  constexpr std::int64_t columns() const { return columns_.extent; }

  constexpr std::int64_t tile_rows() const { return rows_.parts; }

  constexpr std::int64_t tile_columns() const { return columns_.parts; }

  /// How many tiles have a block: those from 0 on.
  constexpr std::int64_t tiles() const { return rows_.parts * columns_.parts; }

  /// What the tile computes, `tile` from 0 to `tiles() - 1`.
  constexpr tile_block block_of(std::int64_t tile) const {
    const std::int64_t row = tile / columns_.parts;
    const std::int64_t column = tile % columns_.parts;
    return {rows_.begin(row), rows_.begin(row + 1), columns_.begin(column),
            columns_.begin(column + 1)};
  }

  /// The block of tile 0: none has more rows or more columns.
  constexpr tile_block busiest() const { return {0, rows_.largest(), 0, columns_.largest()}; }

  constexpr block_classes classes() const {
    block_classes made;
    const std::int64_t long_rows = rows_.largest_count();
    const std::int64_t long_columns = columns_.largest_count();
    for (int fewer_rows = 0; fewer_rows < 2; ++fewer_rows) {
      for (int fewer_columns = 0; fewer_columns < 2; ++fewer_columns) {
        const block_class shape{
            .rows = rows_.largest() - fewer_rows,
            .columns = columns_.largest() - fewer_columns,
            .count = (fewer_rows == 0 ? long_rows : rows_.parts - long_rows) *
                     (fewer_columns == 0 ? long_columns : columns_.parts - long_columns)};
        if (shape.count > 0) {
          made.shapes[made.count] = shape;
          ++made.count;
        }
      }
    }
    return made;
  }

 private:
  balanced_deal rows_;
  balanced_deal columns_;
};

}  // namespace ipu_dsl
