// SPDX-License-Identifier: MIT
// Lines of outputs of a product over windows, one tap after the other: at the rims outputs meet
// fewer taps than elsewhere, and at each tap those that meet it are tiles beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Every output of some lines of a sample begins with its bias, or zero.
template <layout::architecture Architecture, window_product Product, int Vectors>
void begin_with_bias(const float* bias, float* y, const index_range& lines) {
  using lanes = vector<Architecture>;
  for (std::int32_t line = lines.begin; line < lines.end; ++line) {
    float* const of_line = y + Product.written_line(line);
    for (std::int32_t column = 0; column < Product.columns.outputs; ++column) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        const int n = v * Architecture.lanes;
        const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + n);
        store(of_line + column * Product.written.pixel + n, start);
      }
    }
  }
}

/// What outputs of some lines of a sample meet at one tap, tap `ColumnTap` of a row of the kernel,
/// is added to their sums.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          std::int32_t ColumnTap>
[[gnu::noinline]] void add_tap(const float* x, const float* w, float* y, const index_range& lines,
                               std::int32_t plane_tap, std::int32_t row_tap) noexcept {
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  constexpr index_range met = Product.columns.outputs_at(ColumnTap);
  constexpr int outputs = met.end - met.begin;
  // g++ 12.2 fails on a member of a constant in a lambda.
  constexpr std::ptrdiff_t pixel = Product.written.pixel;
  constexpr std::ptrdiff_t source =
      Product.columns.source(met.begin, ColumnTap) * Product.read.pixel;
  if constexpr (outputs > 0) {
    const std::int32_t position =
        Product.first_position(plane_tap, row_tap) + Product.columns.position_of(ColumnTap);
    const float* const weights = w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
    for (std::int32_t line = lines.begin; line < lines.end; ++line) {
      if (!Product.meets(line, plane_tap, row_tap)) {
        continue;
      }
      const float* const from = x + Product.source_row(line, plane_tap, row_tap) + source;
      float* const to = y + Product.written_line(line) + met.begin * pixel;
      tile_rows<Architecture, outputs, Vectors>(
          {0, row_tiles(outputs, Vectors, Architecture).parts()},
          [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
            product_tile<Architecture, rows, Vectors, PanelWidth, static_cast<int>(stride),
                         activation_kind::linear>(from + first * stride, weights, nullptr,
                                                  to + first * pixel, pixel, Product.depth, 0.0F,
                                                  {false, false});
          });
    }
  }
}

/// Some lines of outputs of a sample for `Vectors` vectors of one panel, of which `units` columns
/// are units. Each output is one chain of multiply-adds from its bias, in ascending order of kernel
/// planes, rows, columns and depth, without the taps that lie in the padding: a stretch for each
/// tap, between which the sum lies where the output will be. (3x3 512 to 512, 7x7, where two
/// outputs of seven are at a rim, on AVX2: 0.69 of the time that outputs at the rims one by one
/// took.)
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind>
[[gnu::noinline]] void window_lines_by_taps(const float* x, const float* w, const float* bias,
                                            float* y, const index_range& lines, std::int32_t units,
                                            float alpha) noexcept {
  begin_with_bias<Architecture, Product, Vectors>(bias, y, lines);
  const auto row_of_taps = [&]<std::int32_t... ColumnTaps>(
                               std::int32_t plane_tap, std::int32_t row_tap,
                               std::integer_sequence<std::int32_t, ColumnTaps...>) {
    (add_tap<Architecture, Product, Vectors, PanelWidth, ColumnTaps>(x, w, y, lines, plane_tap,
                                                                     row_tap),
     ...);
  };
  for (std::int32_t plane_tap = 0; plane_tap < Product.planes.taps; ++plane_tap) {
    for (std::int32_t row_tap = 0; row_tap < Product.rows.taps; ++row_tap) {
      row_of_taps(plane_tap, row_tap,
                  std::make_integer_sequence<std::int32_t, Product.columns.taps>());
    }
  }
  if constexpr (Kind != activation_kind::linear) {
    for (std::int32_t line = lines.begin; line < lines.end; ++line) {
      activate_block<Kind, Architecture>(y + Product.written_line(line), Product.written.pixel,
                                         Product.columns.outputs, Vectors * Architecture.lanes,
                                         units, alpha);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
