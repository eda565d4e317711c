// SPDX-License-Identifier: MIT
// Register tiles of products over windows in which each unit reads numbers of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_tiles.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Outputs beside each other that a tile of such a product computes: their sums, a weight and a
/// number stay in registers.
constexpr std::int32_t lanewise_tile_columns(layout::architecture target) {
  return target.registers >= 32 ? 20 : target.registers - 4;
}

/// Asks for what the same tile of the next line reads for the first time and writes: large images
/// come from the last-level cache, whose answers take longer than a tile.
template <layout::architecture Architecture, window_product Product, int Columns>
IPU_DSL_ALWAYS_INLINE void ask_for_next_line(const float* x, const float* y, std::int32_t line,
                                             std::int32_t column) {
  if constexpr (Product.depth == 1) {
    constexpr window_axis rows = Product.rows;
    constexpr std::int32_t furthest = rows.slope > 0 ? rows.slope * (rows.taps - 1) : 0;
    const std::ptrdiff_t row = rows.step * (line + 1) + rows.first + furthest;
    const std::ptrdiff_t at =
        row * Product.read.row + Product.columns.step * column * Product.read.pixel;
    IPU_DSL_UNROLLED
    for (int i = 0; i < Columns; ++i) {
      prefetch_for_reading(x, at + i * (Product.columns.step * Product.read.pixel));
      prefetch_for_writing<1>(y, Product.written.row + i * Product.written.pixel);
    }
  }
}

/// `Columns` outputs beside each other of one line, one vector of units. Each is one chain of
/// multiply-adds from its bias, in ascending order of kernel planes, rows, columns and depth,
/// without the taps that lie in the padding; sums stay in registers from tap to tap. `Place` is
/// that of `tiles_of_line`.
template <layout::architecture Architecture, window_product Product, int Columns,
          std::int32_t Place, int PanelWidth, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void lanewise_tile(const float* __restrict x, const float* __restrict w,
                                         const float* __restrict bias, float* __restrict y,
                                         std::int32_t line, std::int32_t column,
                                         float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t taps = Product.columns.taps;
  constexpr std::ptrdiff_t deeper = layout::row_stride(Product.units, Architecture);
  const met_taps outer = Product.taps_met(line);
  lanes sums[std::size_t{Columns}];
  const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias);
  IPU_DSL_UNROLLED
  for (int i = 0; i < Columns; ++i) {
    sums[i] = start;
  }
  const auto add = [&](const float* from, const float* weights,
                       std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::ptrdiff_t at = std::ptrdiff_t{Product.columns.slope} * tap * Product.read.pixel;
#pragma GCC unroll 1
    for (std::int32_t k = 0; k < Product.depth; ++k) {
      const lanes factor = load_once<lanes>(weights + std::ptrdiff_t{k} * PanelWidth);
      IPU_DSL_UNROLLED
      for (int i = 0; i < Columns; ++i) {
        if (meets_in_tile<Place>(Product.columns, column, i, tap)) {
          const std::ptrdiff_t to = i * (Product.columns.step * Product.read.pixel);
          sums[i] = multiply_add(load<lanes>(from + at + to + k * deeper), factor, sums[i]);
        }
      }
    }
  };
  const std::int32_t first = Product.columns.source(column, 0);
  ask_for_next_line<Architecture, Product, Columns>(x, y, line, column);
  for (std::int32_t number = 0; number < outer.count(); ++number) {
    const std::int32_t plane_tap = Product.plane_tap(outer, number);
    const std::int32_t row_tap = Product.row_tap(outer, number);
    const float* const from =
        x + Product.source_row(line, plane_tap, row_tap) + first * Product.read.pixel;
    const std::int32_t first_tap = Product.first_position(plane_tap, row_tap);
    const auto weights_of = [&](std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const std::int32_t position = first_tap + Product.columns.position_of(tap);
      return w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
    };
    if constexpr (taps <= 7) {
      IPU_DSL_UNROLLED
      for (std::int32_t tap = 0; tap < taps; ++tap) {
        add(from, weights_of(tap), tap);
      }
    } else {
#pragma GCC unroll 1
      for (std::int32_t tap = 0; tap < taps; ++tap) {
        add(from, weights_of(tap), tap);
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int i = 0; i < Columns; ++i) {
    store(y + i * Product.written.pixel, activate<Kind>(sums[i], alpha));
  }
}

/// Whether neighbours along an axis meet neighbouring sources, so that one's are the next one's.
constexpr bool shares_sources(const window_axis& along) {
  return along.step == 1 && (along.slope == 1 || along.slope == -1);
}

/// Whether a tile of such a product loads a number once for all taps of a row that meet it. The
/// code of longer rows would be too large.
constexpr bool shares_numbers(const window_product& product) {
  const bool one_plane = product.planes.outputs == 1 && product.planes.taps == 1;
  return shares_sources(product.columns) && product.columns.taps <= 7 && one_plane &&
         product.depth == 1;
}

/// Lines of outputs that a tile of such a product computes together, so that what is read is read
/// for several of them: where outputs beside and below each other meet each other's sources.
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lanewise_tile_lines() {
  const bool shared = shares_sources(Product.rows) && shares_numbers(Product);
  const bool many_registers = Architecture.registers >= 32;
  const std::int32_t most = many_registers ? 4 : 2;
  const std::int32_t most_taps = many_registers ? 9 : 25;
  const bool suits = shared && Product.rows.taps * Product.columns.taps <= most_taps &&
                     Product.rows.outputs >= most;
  return suits ? most : 1;
}

/// Vectors of units that a tile of several lines computes together: where pixels drive each other
/// out of the cache, a line of it is used whole before it goes. (3x3, forward: 256 channels, 28x28:
/// 0.88 of the time; 512, 14x14: 0.69; 1024, 7x7: 0.68. Elsewhere, with fewer columns, 1.1.)
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lanewise_tile_vectors(std::int32_t lines) {
  return lines > 1 && pixels_collide(Product.read.pixel, Architecture) ? 2 : 1;
}

/// Outputs beside each other of a tile of `lines` lines and `vectors` vectors of units: beside
/// their sums a number of each column and weights stay in registers. (One more, which leaves room
/// for a single weight: 1.08 of the time, but of two vectors 0.96.)
constexpr std::int32_t lanewise_lines_columns(std::int32_t lines, std::int32_t vectors,
                                              layout::architecture target) {
  const std::int32_t sums = lines * vectors;
  const std::int32_t weights = vectors > 1 ? 1 : 2;
  return target.registers >= 32 ? 20 / sums : (target.registers - weights) / (sums + 1);
}

/// As `lanewise_tile`, but `Lines` lines below each other and `Vectors` vectors of units: rows of
/// sources are read one after the other, in the order in which each output meets them. A number is
/// loaded once for all taps of a row: those beside each other lie whole lines of the cache apart,
/// so that one is loaded in a cycle. (3x3, 64 channels, 56x56: 0.8 of the time.) Weights of a
/// vector lie `apart` floats behind those of the one before.
template <layout::architecture Architecture, window_product Product, int Lines, int Columns,
          int Vectors, std::int32_t Place, int PanelWidth, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void lanewise_lines_tile(const float* __restrict x, const float* __restrict w,
                                               std::ptrdiff_t apart, const float* __restrict bias,
                                               float* __restrict y, std::int32_t line,
                                               std::int32_t column, float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr window_axis rows = Product.rows;
  constexpr window_axis columns = Product.columns;
  constexpr std::size_t numbers = std::size_t{Columns} + columns.taps - 1;
  lanes sums[std::size_t{Vectors}][std::size_t{Lines}][std::size_t{Columns}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * Architecture.lanes);
    IPU_DSL_UNROLLED
    for (int i = 0; i < Lines * Columns; ++i) {
      sums[v][i / Columns][i % Columns] = start;
    }
  }
  // Of a gradient the last line meets its sources first, and a line's first tap the last of them.
  constexpr bool ascending = rows.slope > 0;
  constexpr std::int32_t lowest = columns.slope > 0 ? 0 : 1 - columns.taps;
  const std::int32_t first_row = rows.source(ascending ? line : line + Lines - 1, 0);
  const float* const first = x + (columns.source(column, 0) + lowest) * Product.read.pixel;
  const auto is_met = [&](std::int32_t number) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t at = Place >= 0 ? Place : column;
    const std::int32_t source = columns.source(at, 0) + lowest + number;
    return Place == any_column || (source >= 0 && source < columns.sources);
  };
  const auto add_row = [&](const float* from, std::int32_t read,
                           int v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    lanes met[numbers];
    const auto load_new = [&](std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      IPU_DSL_UNROLLED
      for (int i = 0; i < Columns; ++i) {
        const std::int32_t number = i + columns.slope * tap - lowest;
        const bool is_new = tap == 0 || i == (columns.slope > 0 ? Columns - 1 : 0);
        if (is_new && is_met(number)) {
          met[number] = load<lanes>(from + number * Product.read.pixel);
        }
      }
    };
    IPU_DSL_UNROLLED
    for (std::int32_t tap = 0; tap < columns.taps; ++tap) {
      load_new(tap);
      IPU_DSL_UNROLLED
      for (int j = 0; j < Lines; ++j) {
        if (read - j >= 0 && read - j < rows.taps) {
          const std::int32_t position =
              Product.first_position(0, read - j) + columns.position_of(tap);
          const lanes factor =
              load_once<lanes>(w + v * apart + std::ptrdiff_t{position} * PanelWidth);
          IPU_DSL_UNROLLED
          for (int i = 0; i < Columns; ++i) {
            const std::int32_t number = i + columns.slope * tap - lowest;
            if (is_met(number)) {
              sums[v][j][i] = multiply_add(met[number], factor, sums[v][j][i]);
            }
          }
        }
      }
    }
  };
  const auto read_row = [&](std::int32_t read) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t row = first_row + rows.slope * read;
    if (row < 0 || row >= rows.sources) {
      return;
    }
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      add_row(first + row * Product.read.row + v * Architecture.lanes, read, v);
    }
  };
  if constexpr (Lines > 1) {
    IPU_DSL_UNROLLED
    for (std::int32_t read = 0; read < Lines + rows.taps - 1; ++read) {
      read_row(read);
    }
  } else {
#pragma GCC unroll 1
    for (std::int32_t read = 0; read < rows.taps; ++read) {
      read_row(read);
    }
  }
  IPU_DSL_UNROLLED
  for (int j = 0; j < Lines; ++j) {
    float* const of_line = y + (ascending ? j : Lines - 1 - j) * Product.written.row;
    IPU_DSL_UNROLLED
    for (int i = 0; i < Columns; ++i) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        store(of_line + i * Product.written.pixel + v * Architecture.lanes,
              activate<Kind>(sums[v][j][i], alpha));
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
