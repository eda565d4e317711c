// SPDX-License-Identifier: MIT
// Products over windows with pixels as lanes, where those that meet a source at every tap fill
// vectors: they are tiles, and what is left at the rims has units as lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/pixelwise_cut.hpp>
#include <ipu_dsl/kernels/pixelwise_planes.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Inner outputs beside each other of one line, some units: each is one chain as in `window_tile`.
///   rows  of the sources that each row of taps meets, from that of the first output on
///   made  [units][pixels of a tile], of which these are written
template <layout::architecture Architecture, window_product Product, std::int32_t First,
          std::int32_t Count, int PanelWidth, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void multiply_inner(const float* const* rows, const float* w,
                                          const float* bias, float* made, const index_range& met,
                                          float alpha) {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  lanes sums[std::size_t{cut::inner_vectors}][std::size_t{Count}];
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < Count; ++unit) {
    const lanes start(bias == nullptr ? 0.0F : bias[First + unit]);
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::inner_vectors; ++v) {
      sums[v][unit] = start;
    }
  }
#pragma GCC unroll 1
  for (std::int32_t tap = met.begin; tap < met.end; ++tap) {
    IPU_DSL_UNROLLED
    for (std::int32_t column_tap = 0; column_tap < Product.columns.taps; ++column_tap) {
      const float* const from =
          rows[tap] + (Product.columns.source(0, column_tap) - cut::first_source);
      const float* const of_tap = weights_at<Product, PanelWidth>(w, tap, column_tap) + First;
#pragma GCC unroll 1
      for (std::int32_t k = 0; k < Product.depth; ++k) {
        lanes samples[std::size_t{cut::inner_vectors}];
        IPU_DSL_UNROLLED
        for (int v = 0; v < cut::inner_vectors; ++v) {
          samples[v] = load_once<lanes>(from + k * cut::plane + v * cut::width);
        }
        IPU_DSL_UNROLLED
        for (int unit = 0; unit < Count; ++unit) {
          const lanes weight(of_tap[k * PanelWidth + unit]);
          IPU_DSL_UNROLLED
          for (int v = 0; v < cut::inner_vectors; ++v) {
            sums[v][unit] = multiply_add(samples[v], weight, sums[v][unit]);
          }
        }
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < Count; ++unit) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::inner_vectors; ++v) {
      store(made + (First + unit) * cut::inner_pixels + v * cut::width,
            activate<Kind>(sums[v][unit], alpha));
    }
  }
}

/// The same of all units, stored.
template <layout::architecture Architecture, window_product Product, int PanelWidth,
          activation_kind Kind, std::int32_t... Passes>
[[gnu::noinline]] void inner_tile(const float* const* rows, const float* __restrict w,
                                  const float* __restrict bias, float* __restrict y,
                                  const index_range& met, std::ptrdiff_t column, float alpha,
                                  std::integer_sequence<std::int32_t, Passes...>) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  // Pointers of their own, or g++ adds the column to each of them at each tap.
  const float* here[std::size_t{cut::rows}];
  for (std::int32_t tap = met.begin; tap < met.end; ++tap) {
    here[tap] = rows[tap] + column;
  }
  alignas(64) float made[std::size_t{cut::units} * std::size_t{cut::inner_pixels}];
  (multiply_inner<Architecture, Product, Passes * cut::inner_units,
                  (std::min)(cut::inner_units, cut::units - Passes * cut::inner_units), PanelWidth,
                  Kind>(here, w, bias, made, met, alpha),
   ...);
  store_pixels<Architecture, Product, cut::inner_pixels>(made, y + column * Product.written.pixel);
}

/// The outputs of a line that miss a source at some taps, all of them at once: units are lanes.
template <layout::architecture Architecture, window_product Product, int PanelWidth,
          activation_kind Kind>
[[gnu::noinline]] void multiply_rims(const float* const* rows, const float* __restrict w,
                                     const float* __restrict bias, float* __restrict y,
                                     const index_range& met, float alpha) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  lanes sums[std::size_t{cut::rims}][std::size_t{cut::unit_vectors}];
  IPU_DSL_UNROLLED
  for (int n = 0; n < cut::unit_vectors; ++n) {
    const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + n * cut::width);
    IPU_DSL_UNROLLED
    for (int i = 0; i < cut::rims; ++i) {
      sums[i][n] = start;
    }
  }
#pragma GCC unroll 1
  for (std::int32_t tap = met.begin; tap < met.end; ++tap) {
    IPU_DSL_UNROLLED
    for (std::int32_t column_tap = 0; column_tap < Product.columns.taps; ++column_tap) {
      const float* const of_tap = weights_at<Product, PanelWidth>(w, tap, column_tap);
#pragma GCC unroll 1
      for (std::int32_t k = 0; k < Product.depth; ++k) {
        const float* const plane = rows[tap] + k * cut::plane;
        IPU_DSL_UNROLLED
        for (int n = 0; n < cut::unit_vectors; ++n) {
          const lanes weight = load<lanes>(of_tap + k * PanelWidth + n * cut::width);
          IPU_DSL_UNROLLED
          for (int i = 0; i < cut::rims; ++i) {
            if (cut::meets(cut::rim(i), column_tap)) {
              const lanes sample(
                  plane[Product.columns.source(cut::rim(i), column_tap) - cut::first_source]);
              sums[i][n] = multiply_add(sample, weight, sums[i][n]);
            }
          }
        }
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int i = 0; i < cut::rims; ++i) {
    IPU_DSL_UNROLLED
    for (int n = 0; n < cut::unit_vectors; ++n) {
      store(y + cut::rim(i) * Product.written.pixel + n * cut::width,
            activate<Kind>(sums[i][n], alpha));
    }
  }
}

/// One line of outputs from rows that are laid out, its rims apart.
template <layout::architecture Architecture, window_product Product, int PanelWidth,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void line_with_rims_apart(const float* const* rows, const float* w,
                                                const float* bias, float* y, const index_range& met,
                                                float alpha) {
  using cut = pixelwise_cut<Product, Architecture>;
  constexpr std::int32_t passes = layout::ceiling_quotient(cut::units, cut::inner_units);
  for (std::int32_t number = 0; number < cut::inner_tiles; ++number) {
    inner_tile<Architecture, Product, PanelWidth, Kind>(
        rows, w, bias, y, met, cut::inner_begin(number), alpha,
        std::make_integer_sequence<std::int32_t, passes>());
  }
  multiply_rims<Architecture, Product, PanelWidth, Kind>(rows, w, bias, y, met, alpha);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
