// SPDX-License-Identifier: MIT
// Products over windows in which each unit reads numbers of its own: of groups of channels, of a
// depthwise convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/group_tile.hpp>
#include <ipu_dsl/kernels/lanewise_tile.hpp>
#include <ipu_dsl/kernels/line_tiles.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Where one vector of units of such a product begins.
struct lanewise_operands {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
};

/// Lines of outputs that tiles of such a product compute together.
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lanewise_lines_at_once() {
  return Product.reads_groups() ? group_tile_lines<Architecture, Product>()
                                : lanewise_tile_lines<Architecture, Product>();
}

/// Outputs beside each other of a tile of `lines` lines.
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lanewise_columns_at_once(std::int32_t lines) {
  if (Product.reads_groups()) {
    return group_tile_columns(lines, Architecture);
  }
  return shares_numbers(Product)
             ? lanewise_lines_columns(lines, lanewise_tile_vectors<Architecture, Product>(lines),
                                      Architecture)
             : lanewise_tile_columns(Architecture);
}

/// `Columns` outputs beside each other of `Lines` lines, some vectors of units: tiles of one after
/// the other, so that pixels are read and written as they lie. `Place` is that of `tiles_of_line`.
template <layout::architecture Architecture, window_product Product, activation_kind Kind,
          std::int32_t Lines, int Columns, std::int32_t Place>
[[gnu::noinline]] void lanewise_columns(const lanewise_operands& all, std::int32_t line,
                                        std::int32_t column, index_range vectors,
                                        float alpha) noexcept {
  constexpr int width = layout::panel_width(Product.units, Architecture);
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  constexpr int together =
      Product.reads_groups() ? 1 : lanewise_tile_vectors<Architecture, Product>(Lines);
  const auto weights_of = [&](std::int32_t v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t n = v * Architecture.lanes;
    return all.w + n / width * panel_size + n % width;
  };
  const auto tile = [&]<int Vectors>(std::integral_constant<int, Vectors>,
                                     std::int32_t v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t n = v * Architecture.lanes;
    const float* const w = weights_of(v);
    const float* const bias = all.bias == nullptr ? nullptr : all.bias + n;
    float* const y = all.y + column * Product.written.pixel + n;
    if constexpr (Product.reads_groups()) {
      group_tile<Architecture, Product, Lines, Columns, Place, width, Kind>(all.x + n, w, bias, y,
                                                                            line, column, alpha);
    } else if constexpr (shares_numbers(Product)) {
      const std::ptrdiff_t apart = Vectors > 1 ? weights_of(v + 1) - w : 0;
      lanewise_lines_tile<Architecture, Product, Lines, Columns, Vectors, Place, width, Kind>(
          all.x + n, w, apart, bias, y, line, column, alpha);
    } else {
      lanewise_tile<Architecture, Product, Columns, Place, width, Kind>(all.x + n, w, bias, y, line,
                                                                        column, alpha);
    }
  };
  std::int32_t v = vectors.begin;
  while (v < vectors.end) {
    // From an even one on: two vectors of eight are a line of the cache.
    if (together > 1 && v % together == 0 && v + together <= vectors.end) {
      tile(std::integral_constant<int, together>(), v);
      v += together;
    } else {
      tile(std::integral_constant<int, 1>(), v);
      ++v;
    }
  }
}

/// `Lines` lines of outputs, some vectors of units.
template <layout::architecture Architecture, window_product Product, activation_kind Kind,
          std::int32_t Lines>
IPU_DSL_ALWAYS_INLINE void lanewise_lines(const lanewise_operands& all, std::int32_t line,
                                          const index_range& vectors, float alpha) {
  constexpr std::int32_t most = lanewise_columns_at_once<Architecture, Product>(Lines);
  tiles_of_line<Product.columns, most>(
      [&](auto columns, auto place, std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        lanewise_columns<Architecture, Product, Kind, Lines, decltype(columns)::value,
                         decltype(place)::value>(all, line, column, vectors, alpha);
      });
}

/// Lines of outputs beside each other of one sample, some vectors of units; `all.y` is where the
/// first of them lies.
template <layout::architecture Architecture, window_product Product, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void lanewise_some_lines(const lanewise_operands& all,
                                               const index_range& lines, const index_range& vectors,
                                               float alpha) {
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr std::int32_t together = lanewise_lines_at_once<Architecture, Product>();
  const auto written = [&](std::int32_t line) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return all.y + (Product.written_line(line) - Product.written_line(lines.begin));
  };
  const auto from_line = [&](std::int32_t line) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return lanewise_operands{all.x, all.w, all.bias, written(line)};
  };
  std::int32_t line = lines.begin;
  for (; line + together <= lines.end; line += together) {
    lanewise_lines<Architecture, Product, in_tile, together>(from_line(line), line, vectors, alpha);
  }
  for (; line < lines.end; ++line) {
    lanewise_lines<Architecture, Product, in_tile, 1>(from_line(line), line, vectors, alpha);
  }
  if constexpr (!applied_in_registers(Kind)) {
    const std::int32_t n = vectors.begin * Architecture.lanes;
    for (line = lines.begin; line < lines.end; ++line) {
      activate_block<Kind, Architecture>(
          written(line) + n, Product.written.pixel, Product.columns.outputs,
          (vectors.end - vectors.begin) * Architecture.lanes, Product.units - n, alpha);
    }
  }
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
  constexpr std::int32_t vectors =
      layout::row_stride(Product.units, Architecture) / Architecture.lanes;
  if constexpr (Product.lines() > 0 && Product.columns.outputs > 0) {
    constexpr std::int32_t together = lanewise_lines_at_once<Architecture, Product>();
    constexpr std::int32_t of_sample =
        layout::ceiling_quotient(Product.lines_of_sample(), together);
    columns_of_grain(
        Product.samples * of_sample, vectors, part,
        [&](std::int32_t number, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const std::int32_t sample = number / of_sample;
          const std::int32_t first = number % of_sample * together;
          const index_range lines =
              common({first, first + together}, {0, Product.lines_of_sample()});
          float* const to = y + sample * Product.written.sample + Product.written_line(first);
          lanewise_some_lines<Architecture, Product, Kind>(
              {x + sample * Product.read.sample, w, bias, to}, lines, mine, alpha);
        });
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
