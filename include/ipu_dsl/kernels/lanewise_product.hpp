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

/// Where one vector of units of such a product begins.
struct lanewise_operands {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
};

/// One line of outputs, some vectors of units: tile after tile all of them, so that pixels are read
/// and written as they lie.
template <layout::architecture Architecture, window_product Product, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void lanewise_line(const lanewise_operands& all, std::int32_t line,
                                         const index_range& vectors, float alpha) {
  constexpr int width = layout::panel_width(Product.units, Architecture);
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  const auto tile = [&](auto columns, auto place,
                        std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    for (std::int32_t v = vectors.begin; v < vectors.end; ++v) {
      const std::int32_t n = v * Architecture.lanes;
      lanewise_tile<Architecture, Product, decltype(columns)::value, decltype(place)::value, width,
                    Kind>(all.x + n, all.w + n / width * panel_size + n % width,
                          all.bias == nullptr ? nullptr : all.bias + n,
                          all.y + column * Product.written.pixel + n, line, column, alpha);
    }
  };
  tiles_of_line<Product.columns, lanewise_tile_columns(Architecture)>(tile);
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
    columns_of_grain(
        Product.lines(), vectors, part,
        [&](std::int32_t number, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const std::int32_t sample = number / Product.lines_of_sample();
          const std::int32_t line = number % Product.lines_of_sample();
          float* const to = y + sample * Product.written.sample + Product.written_line(line);
          lanewise_line<Architecture, Product, in_tile>(
              {x + sample * Product.read.sample, w, bias, to}, line, mine, alpha);
          if constexpr (!applied_in_registers(Kind)) {
            const std::int32_t n = mine.begin * Architecture.lanes;
            activate_block<Kind, Architecture>(
                to + n, Product.written.pixel, Product.columns.outputs,
                (mine.end - mine.begin) * Architecture.lanes, Product.units - n, alpha);
          }
        });
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
