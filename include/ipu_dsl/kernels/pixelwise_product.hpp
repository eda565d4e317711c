// SPDX-License-Identifier: MIT
// Products over windows of few units with pixels as lanes: a first layer of few filters, the
// gradient of an image of few channels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/pixelwise_cut.hpp>
#include <ipu_dsl/kernels/pixelwise_inner.hpp>
#include <ipu_dsl/kernels/pixelwise_tile.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Some lines of outputs from rows that are laid out.
template <layout::architecture Architecture, window_product Product, std::int32_t Lines,
          int PanelWidth, activation_kind Kind, std::int32_t... Tiles>
IPU_DSL_ALWAYS_INLINE void pixelwise_lines(const rows_of_lines<Product, Architecture>& rows,
                                           const float* w, const float* bias, float* y,
                                           const index_range& met, float alpha,
                                           std::integer_sequence<std::int32_t, Tiles...>) {
  using cut = pixelwise_cut<Product, Architecture>;
  constexpr index_range full = Product.columns.full_outputs();
  (pixelwise_tile<Architecture, Product,
                  (cut::begin(Tiles) >= full.begin && cut::begin(Tiles) + cut::tile <= full.end)
                      ? -1
                      : cut::begin(Tiles),
                  Lines, PanelWidth, Kind>(
       rows, w, bias, y + cut::begin(Tiles) * Product.written.pixel, met, cut::begin(Tiles), alpha),
   ...);
}

/// `multiply_windows` where `pixelwise_cut` suits it, or a grain of it: of its lines.
template <window_product Product, activation_kind Kind,
          layout::architecture Architecture = layout::native,
          activation_kind Through = activation_kind::linear>
void multiply_by_pixels(const float* __restrict x, const float* __restrict w,
                        const float* __restrict bias, float* __restrict y, float alpha,
                        const grain& part = {},
                        const activated_pixels<Through>& made = {}) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr std::int32_t panel = layout::panel_width(Product.units, Architecture);
  constexpr std::int32_t stride = layout::row_stride(Product.units, Architecture);
  constexpr std::ptrdiff_t row_floats = std::ptrdiff_t{Product.depth} * cut::plane;
  // Zeros stand in the padding, so that no lane that is not chosen is slow.
  float ring[std::size_t{cut::floats}] = {};
  rows_of_lines<Product, Architecture> rows;
  std::int32_t sample_of_ring = -1;
  std::int32_t next_row = 0;  // the first that is not laid out yet
  const index_range mine = range_of(Product.lines(), part);
  for (std::int32_t number = mine.begin; number < mine.end;) {
    const std::int32_t sample = number / Product.lines_of_sample();
    const std::int32_t line = number % Product.lines_of_sample();
    const std::int32_t together = cut::lines_of_tile(line, line + mine.end - number);
    const index_range met = cut::rows_met(line);
    const float* const image = x + sample * Product.read.sample;
    if (sample != sample_of_ring) {
      sample_of_ring = sample;
      next_row = 0;
    }
    for (std::int32_t i = 0; i < together; ++i) {
      const std::int32_t first_place = cut::place_in_ring(Product.rows.source(line + i, 0));
      IPU_DSL_UNROLLED
      for (std::int32_t tap = 0; tap < cut::rows; ++tap) {
        rows.at[i][tap] = ring + cut::place_behind(first_place, tap) * row_floats;
      }
    }
    if (met.begin < met.end) {
      const std::int32_t one = Product.rows.source(line, met.begin);
      const std::int32_t other = Product.rows.source(line, met.end - 1);
      const std::int32_t last = (std::max)(one, other) + together - 1;
      for (std::int32_t row = (std::max)(next_row, (std::min)(one, other)); row <= last; ++row) {
        lay_out_row<Architecture, Product>(image + row * Product.read.row,
                                           ring + cut::place_in_ring(row) * row_floats);
      }
      next_row = last + 1;
    }
    const std::ptrdiff_t place = sample * Product.written.sample + Product.written_line(line);
    float* const to = y + place;
    const auto some_lines = [&](auto lines) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      pixelwise_lines<Architecture, Product, decltype(lines)::value, panel, in_tile>(
          rows, w, bias, to, met, alpha, std::make_integer_sequence<std::int32_t, cut::tiles>());
    };
    if constexpr (cut::has_rims_apart()) {
      line_with_rims_apart<Architecture, Product, panel, in_tile>(rows.at[0], w, bias, to, met,
                                                                  alpha);
    } else if (together == 1) {
      some_lines(std::integral_constant<std::int32_t, 1>());
    } else {
      some_lines(std::integral_constant<std::int32_t, cut::lines>());
    }
    for (std::int32_t i = 0; !applied_in_registers(Kind) && i < together; ++i) {
      activate_block<Kind, Architecture>(to + i * Product.written.row, Product.written.pixel,
                                         Product.columns.outputs, stride, Product.units, alpha);
    }
    for (std::int32_t i = 0; i < together; ++i) {
      const std::ptrdiff_t at = i * Product.written.row;
      made.at(place + at)
          .template put_through<Architecture, stride / Architecture.lanes>(
              to + at, Product.written.pixel, Product.columns.outputs);
    }
    number += together;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
