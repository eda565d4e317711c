// SPDX-License-Identifier: MIT
// Products over windows in which each unit reads numbers of its own: of groups of channels, of a
// depthwise convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_tiles.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

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
[[gnu::noinline]] void lanewise_tile(const float* __restrict x, const float* __restrict w,
                                     const float* __restrict bias, float* __restrict y,
                                     std::int32_t line, std::int32_t column, float alpha) noexcept {
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

/// Lines of outputs that a tile of such a product computes together, so that what is read is read
/// for several of them: where lines beside each other meet sources beside each other.
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lanewise_tile_lines() {
  const window_axis rows = Product.rows;
  const bool neighbours = rows.step == 1 && (rows.slope == 1 || rows.slope == -1);
  const bool one_plane = Product.planes.outputs == 1 && Product.planes.taps == 1;
  const std::int32_t most = Architecture.registers >= 32 ? 4 : 2;
  const bool suits = neighbours && one_plane && Product.depth == 1 && rows.taps > 1 &&
                     rows.taps * Product.columns.taps <= 9 && rows.outputs >= most;
  return suits ? most : 1;
}

/// As `lanewise_tile`, but `Lines` lines below each other: rows of sources are read one after the
/// other, in the order in which each output meets them.
template <layout::architecture Architecture, window_product Product, int Lines, int Columns,
          std::int32_t Place, int PanelWidth, activation_kind Kind>
[[gnu::noinline]] void lanewise_lines_tile(const float* __restrict x, const float* __restrict w,
                                           const float* __restrict bias, float* __restrict y,
                                           std::int32_t line, std::int32_t column,
                                           float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr window_axis rows = Product.rows;
  constexpr std::ptrdiff_t step = Product.columns.step * Product.read.pixel;
  lanes sums[std::size_t{Lines}][std::size_t{Columns}];
  const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias);
  IPU_DSL_UNROLLED
  for (int i = 0; i < Lines * Columns; ++i) {
    sums[i / Columns][i % Columns] = start;
  }
  // Of a gradient the last line meets its sources first.
  constexpr bool ascending = rows.slope > 0;
  const std::int32_t first_row = rows.source(ascending ? line : line + Lines - 1, 0);
  const float* const first = x + Product.columns.source(column, 0) * Product.read.pixel;
  IPU_DSL_UNROLLED
  for (std::int32_t read = 0; read < Lines + rows.taps - 1; ++read) {
    const std::int32_t row = first_row + rows.slope * read;
    if (row < 0 || row >= rows.sources) {
      continue;
    }
    const float* const from = first + row * Product.read.row;
    IPU_DSL_UNROLLED
    for (std::int32_t tap = 0; tap < Product.columns.taps; ++tap) {
      const std::ptrdiff_t at = std::ptrdiff_t{Product.columns.slope} * tap * Product.read.pixel;
      lanes factors[std::size_t{Lines}];
      IPU_DSL_UNROLLED
      for (int i = 0; i < Lines; ++i) {
        if (read - i >= 0 && read - i < rows.taps) {
          const std::int32_t position =
              Product.first_position(0, read - i) + Product.columns.position_of(tap);
          factors[i] = load_once<lanes>(w + std::ptrdiff_t{position} * PanelWidth);
        }
      }
      IPU_DSL_UNROLLED
      for (int i = 0; i < Columns; ++i) {
        if (meets_in_tile<Place>(Product.columns, column, i, tap)) {
          const lanes number = load<lanes>(from + at + i * step);
          IPU_DSL_UNROLLED
          for (int j = 0; j < Lines; ++j) {
            if (read - j >= 0 && read - j < rows.taps) {
              sums[j][i] = multiply_add(number, factors[j], sums[j][i]);
            }
          }
        }
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int j = 0; j < Lines; ++j) {
    float* const of_line = y + (ascending ? j : Lines - 1 - j) * Product.written.row;
    IPU_DSL_UNROLLED
    for (int i = 0; i < Columns; ++i) {
      store(of_line + i * Product.written.pixel, activate<Kind>(sums[j][i], alpha));
    }
  }
}

/// Where one vector of units of such a product begins.
struct lanewise_operands {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
};

/// `Lines` lines of outputs, some vectors of units: tile after tile all of them, so that pixels are
/// read and written as they lie.
template <layout::architecture Architecture, window_product Product, activation_kind Kind,
          std::int32_t Lines>
IPU_DSL_ALWAYS_INLINE void lanewise_lines(const lanewise_operands& all, std::int32_t line,
                                          const index_range& vectors, float alpha) {
  constexpr int width = layout::panel_width(Product.units, Architecture);
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  const auto tile = [&](auto columns, auto place,
                        std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int count = decltype(columns)::value;
    constexpr std::int32_t at = decltype(place)::value;
    for (std::int32_t v = vectors.begin; v < vectors.end; ++v) {
      const std::int32_t n = v * Architecture.lanes;
      const float* const w = all.w + n / width * panel_size + n % width;
      const float* const bias = all.bias == nullptr ? nullptr : all.bias + n;
      float* const y = all.y + column * Product.written.pixel + n;
      if constexpr (Lines > 1) {
        lanewise_lines_tile<Architecture, Product, Lines, count, at, width, Kind>(
            all.x + n, w, bias, y, line, column, alpha);
      } else {
        lanewise_tile<Architecture, Product, count, at, width, Kind>(all.x + n, w, bias, y, line,
                                                                     column, alpha);
      }
    }
  };
  tiles_of_line<Product.columns, lanewise_tile_columns(Architecture) / Lines>(tile);
}

/// y = activation(windows of x times w + bias) where each unit reads numbers of its own, or a grain
/// of it.
///   x     images of [depth][row_stride(units)] numbers a pixel
///   w     panels of [taps, depth, units]; bias  [bias_elements(units)] or null
///   y     pixels of row_stride(units) floats
/// Line by line, so that a line of pixels is read and written once, whatever their width.
template <window_product Product, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void multiply_by_lanes(const float* __restrict x, const float* __restrict w,
                       const float* __restrict bias, float* __restrict y, float alpha,
                       const grain& part = {}) noexcept {
  static_assert(Product.lanewise);
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr std::int32_t vectors =
      layout::row_stride(Product.units, Architecture) / Architecture.lanes;
  if constexpr (Product.lines() > 0 && Product.columns.outputs > 0) {
    constexpr std::int32_t together = lanewise_tile_lines<Architecture, Product>();
    constexpr std::int32_t of_sample =
        layout::ceiling_quotient(Product.lines_of_sample(), together);
    columns_of_grain(
        Product.samples * of_sample, vectors, part,
        [&](std::int32_t number, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const std::int32_t sample = number / of_sample;
          const std::int32_t first = number % of_sample * together;
          const std::int32_t left = Product.lines_of_sample() - first;
          const std::int32_t end = first + (left < together ? left : together);
          const float* const image = x + sample * Product.read.sample;
          float* const to = y + sample * Product.written.sample;
          if (end - first == together) {
            lanewise_lines<Architecture, Product, in_tile, together>(
                {image, w, bias, to + Product.written_line(first)}, first, mine, alpha);
          } else {
            for (std::int32_t line = first; line < end; ++line) {
              lanewise_lines<Architecture, Product, in_tile, 1>(
                  {image, w, bias, to + Product.written_line(line)}, line, mine, alpha);
            }
          }
          if constexpr (!applied_in_registers(Kind)) {
            const std::int32_t n = mine.begin * Architecture.lanes;
            for (std::int32_t line = first; line < end; ++line) {
              activate_block<Kind, Architecture>(to + Product.written_line(line) + n,
                                                 Product.written.pixel, Product.columns.outputs,
                                                 (mine.end - mine.begin) * Architecture.lanes,
                                                 Product.units - n, alpha);
            }
          }
        });
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
