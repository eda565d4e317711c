// SPDX-License-Identifier: MIT
// A depthwise convolution and the product at every pixel behind it, some lines of one after the
// other, so that what lies between them stays in the caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/lanewise_product.hpp>
#include <ipu_dsl/kernels/window_product.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How many lines lie between the two at once: as many as a tile has, and more where they are
/// short, 32 KB at most.
template <window_product Depthwise, layout::architecture Architecture>
constexpr std::int32_t lines_between() {
  constexpr std::int32_t of_tile = lanewise_tile_lines<Architecture, Depthwise>();
  constexpr std::ptrdiff_t most = 32 * 1024 / sizeof(float);
  std::int32_t found = of_tile;
  while (found + of_tile <= Depthwise.rows.outputs &&
         (found + of_tile) * Depthwise.written.row <= most) {
    found += of_tile;
  }
  return found;
}

/// The product at every pixel of some lines.
constexpr window_product of_lines(const window_product& product, std::int32_t lines) {
  window_product made = product;
  made.samples = 1;
  made.rows.outputs = lines;
  made.rows.sources = lines;
  return made.with_merged_lines();
}

/// y = activation(z times w + bias) of z = windows of x times `depthwise`, or a grain of it.
///   x          images of row_stride(channels) numbers a pixel
///   depthwise  panels of [taps, channels];  w  panels of [channels, units]
///   bias       [bias_elements(units)] or null;  y  pixels of row_stride(units) floats
template <window_product Depthwise, window_product Pointwise, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void multiply_separably(const float* __restrict x, const float* __restrict depthwise,
                        const float* __restrict w, const float* __restrict bias,
                        float* __restrict y, float alpha, const grain& part = {}) noexcept {
  constexpr std::int32_t together = lines_between<Depthwise, Architecture>();
  constexpr std::int32_t of_sample = Depthwise.rows.outputs;
  constexpr std::int32_t blocks = layout::ceiling_quotient(of_sample, together);
  constexpr std::int32_t rest = of_sample - (blocks - 1) * together;
  constexpr index_range all_vectors = {
      0, layout::row_stride(Depthwise.units, Architecture) / Architecture.lanes};
  alignas(64) float between[std::size_t{together} * std::size_t{Depthwise.written.row}];
  const index_range mine = range_of(Depthwise.samples * blocks, part);
  for (std::int32_t number = mine.begin; number < mine.end; ++number) {
    const std::int32_t sample = number / blocks;
    const std::int32_t first = number % blocks * together;
    const index_range lines = common({first, first + together}, {0, of_sample});
    lanewise_some_lines<Architecture, Depthwise, activation_kind::linear>(
        {x + sample * Depthwise.read.sample, depthwise, nullptr, between}, lines, all_vectors,
        0.0F);
    float* const to = y + sample * Pointwise.written.sample + first * Pointwise.written.row;
    if (lines.end - lines.begin == together) {
      multiply_windows<of_lines(Pointwise, together), Kind, Architecture>(between, w, bias, to,
                                                                          alpha);
    } else {
      multiply_windows<of_lines(Pointwise, rest), Kind, Architecture>(between, w, bias, to, alpha);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
