// SPDX-License-Identifier: MIT
// How many lines of outputs of a product over windows are computed before the next ones.
#pragma once

#include <cstdint>

#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

constexpr bool has_several_panels(const window_product& product, layout::architecture target) {
  return product.units > layout::panel_width(product.units, target);
}

/// Of how many lines the images stay in the second-level cache beside the weights; all if these
/// leave no room.
constexpr std::int32_t lines_nearby(const window_product& product, layout::architecture target) {
  constexpr std::int64_t room = 256 * 1024 / sizeof(float);
  const std::int64_t weights =
      std::int64_t{product.kernel_taps} * product.depth * layout::row_stride(product.units, target);
  const std::int64_t line =
      std::int64_t{product.columns.sources} * product.rows.step * product.read.pixel +
      std::int64_t{product.columns.outputs} * product.written.pixel;
  const std::int64_t fitting = line > 0 ? (room - weights) / line : 0;
  return fitting > 0 && fitting < product.lines() ? static_cast<std::int32_t>(fitting)
                                                  : product.lines();
}

/// How many lines of outputs are walked for all panels of weights before the next ones: every panel
/// reads the images again. All lines where there is one panel.
constexpr std::int32_t lines_of_block(const window_product& product, layout::architecture target) {
  return has_several_panels(product, target) ? lines_nearby(product, target) : product.lines();
}

/// The same of a weight gradient, for which every tap reads the images again (a training step of
/// ResNet-8, in which those of 16 channels are 2 MB each: 0.94 of the time on AVX-512, 0.92 on
/// AVX2).
constexpr std::int32_t lines_of_gradient_block(const window_product& product,
                                               layout::architecture target) {
  const bool again = product.kernel_taps > 1 || has_several_panels(product, target);
  return again ? lines_nearby(product, target) : product.lines();
}

/// Whether pixels so far apart, in floats, drive each other out of the first-level cache: one of
/// 32 KB in eight ways has room for 32 or fewer pixels that lie 1 KB or a multiple of it apart.
/// (With eight lanes; with sixteen nobody has measured what to do about it.)
constexpr bool pixels_collide(std::ptrdiff_t apart, layout::architecture target) {
  return target.lanes == 8 && apart % 256 == 0;
}

/// Whether a weight gradient copies what its tiles read of d to where it lies together: where
/// outputs collide, every tile of a panel reads them again from the second-level cache. (1x1 64 to
/// 256, 56x56: 0.75 of the time; 1x1 512 to 2048, 7x7: 0.77; 3x3 512 to 512, 7x7: 0.82; outputs of
/// 512 bytes are no faster.)
constexpr bool copies_outputs(const window_product& product, layout::architecture target) {
  constexpr std::int32_t most_together = 256;
  return pixels_collide(product.written.pixel, target) && product.columns.outputs > 0 &&
         product.columns.outputs <= most_together;
}

/// How many lines of outputs a tile of a weight gradient sums up before the next tile does. With
/// wide vectors an output is so short that loading and storing the sums of a tile counts: lines
/// of 256 outputs (3x3 512 to 512, 7x7: 0.71 of the time of a line each; 128 and 512 are no
/// better). With narrow ones what is read falls out of the first-level cache (3x3 64 to 64,
/// 56x56: 1.3 of the time), unless it is copied: then lines of 112 outputs (3x3 256 to 256, 14x14:
/// 0.91 of the time of a line each; 256 are no better).
constexpr std::int32_t lines_of_tile(const window_product& product, layout::architecture target) {
  if (product.columns.outputs == 0) {
    return 1;
  }
  const std::int32_t outputs = target.lanes >= 16 ? 256 : copies_outputs(product, target) ? 112 : 1;
  return layout::ceiling_quotient(outputs, product.columns.outputs);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
