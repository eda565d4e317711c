// SPDX-License-Identifier: MIT
// Lines of outputs of a product over windows whose sums stay in registers from tap to tap.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/line_tiles.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Whether sums stay in registers from tap to tap: between stretches as short as those of few
/// channels, storing and loading them costs more than the products. Then weights pass once for each
/// tile. With sixteen lanes they may come from the second-level cache, of which a tile asks no more
/// than it gives, if few outputs are at the rims. (3x3 64 to 64, 56x56: 0.93 of the time of a
/// stretch a tap, batch 8 0.92; 128 to 128, 28x28: 0.96 to 0.99; 256 to 256, 14x14: 0.97 to 1.02;
/// 512 to 512, 7x7: 1.02; with a dilation of 16, so that many tiles are at a rim, 1.29. With eight
/// lanes, of 64 channels and more, 0.98 to 1.28.)
template <layout::architecture Architecture, window_product Product, int Vectors>
constexpr bool has_resident_sums() {
  if (Product.kernel_taps == 1 || Product.depth <= 32) {
    return Product.kernel_taps > 1;
  }
  const index_range full = Product.columns.full_outputs();
  const std::int64_t weights = std::int64_t{Product.kernel_taps} * Product.depth *
                               layout::panel_width(Product.units, Architecture);
  return Architecture.lanes >= 16 && weights <= nearby_floats &&
         4 * (full.end - full.begin) >= 3 * Product.columns.outputs &&
         line_cut<Product.columns, layout::max_tile_rows(Vectors, Architecture)>::constant_rims;
}

/// `Rows` outputs beside each other of one line. Each is one chain of multiply-adds from its bias,
/// in ascending order of kernel planes, rows, columns and depth, without the taps that lie in the
/// padding; its sum stays in registers from tap to tap. `Place` is that of `tiles_of_line`: at the
/// rims the outputs of a tile meet different taps.
template <layout::architecture Architecture, window_product Product, int Rows, int Vectors,
          int PanelWidth, activation_kind Kind, std::int32_t Place>
[[gnu::noinline]] void resident_sums_tile(const float* __restrict x, const float* __restrict w,
                                          const float* __restrict bias, float* __restrict y,
                                          std::int32_t line, std::int32_t column,
                                          float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  constexpr bool rim = Place != any_column;
  constexpr bool joined = Product.joins_taps() && !rim;
  constexpr std::int32_t joined_length = Product.columns.taps * Product.depth;
  constexpr bool unrolled = joined ? joined_length <= 16 : Product.depth <= 4;
  const met_taps outer = Product.taps_met(line);
  constexpr std::int32_t stretches = joined ? 1 : Product.columns.taps;
  constexpr std::int32_t length = joined ? joined_length : Product.depth;
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * width);
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      sums[row][v] = start;
    }
  }
  const auto add = [&](const float* source, std::ptrdiff_t at, const float* weights,
                       std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    // Or g++ 12 keeps numbers for the outputs that meet them again, in more registers than there
    // are (3x3 3 to 32 on AVX2: 0.73 of the time; 7x7 3 to 64: 0.47).
    const float* from = source + at;
    asm("" : "+r"(from));
    lanes factors[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      factors[v] = load_once<lanes>(weights + v * width);
    }
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      if (meets_in_tile<Place>(Product.columns, column, row, tap)) {
        const lanes sample(from[row * stride]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = multiply_add(sample, factors[v], sums[row][v]);
        }
      }
    }
  };
  for (std::int32_t number = 0; number < outer.count(); ++number) {
    const std::int32_t plane_tap = Product.plane_tap(outer, number);
    const std::int32_t row_tap = Product.row_tap(outer, number);
    const float* const source = x + Product.source_row(line, plane_tap, row_tap);
    const std::int32_t first_tap = Product.first_position(plane_tap, row_tap);
    const auto add_stretch = [&](std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const std::int32_t position = first_tap + Product.columns.position_of(tap);
      const float* const weights = w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
      const std::ptrdiff_t at = Product.columns.source(column, tap) * Product.read.pixel;
      if constexpr (unrolled) {
        // Rolled, so short a loop ends before it is at speed (3x3 3 to 32 on AVX2: 40 %, unrolled
        // 90 %).
        IPU_DSL_UNROLLED
        for (std::int32_t k = 0; k < length; ++k) {
          add(source, at + k, weights + k * PanelWidth, tap);
        }
      } else {
#pragma GCC unroll 1
        for (std::int32_t k = 0; k < length; ++k) {
          add(source, at + k, weights + k * PanelWidth, tap);
        }
      }
    };
    if constexpr (rim && Place != asked_column && stretches <= 8) {
      IPU_DSL_UNROLLED
      for (std::int32_t tap = 0; tap < stretches; ++tap) {
        add_stretch(tap);
      }
    } else {
#pragma GCC unroll 1
      for (std::int32_t tap = 0; tap < stretches; ++tap) {
        add_stretch(tap);
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      store(y + row * Product.written.pixel + v * width, activate<Kind>(sums[row][v], alpha));
    }
  }
}

/// One line of outputs for `Vectors` vectors of one panel.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void resident_sums_line(const float* x, const float* w, const float* bias,
                                              float* y, std::int32_t line, float alpha) {
  tiles_of_line<Product.columns, layout::max_tile_rows(Vectors, Architecture)>(
      [&](auto rows, auto place, std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        resident_sums_tile<Architecture, Product, decltype(rows)::value, Vectors, PanelWidth, Kind,
                           decltype(place)::value>(x, w, bias, y + column * Product.written.pixel,
                                                   line, column, alpha);
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
