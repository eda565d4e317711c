// SPDX-License-Identifier: MIT
// How many lines of outputs of a product over windows are computed before the next ones.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

constexpr bool has_several_panels(const window_product& product, layout::architecture target) {
  return product.units > layout::panel_width(product.units, target);
}

/// What stays in the second-level cache of what is walked again, in floats.
inline constexpr std::int64_t nearby_floats = 256 * 1024 / sizeof(float);

/// Images of more come from memory, or go there, in floats.
inline constexpr std::int64_t cached_floats = 4 * 1024 * 1024 / sizeof(float);

/// What one line of outputs reads for the first time, and itself.
constexpr std::int64_t floats_of_line(const window_product& product) {
  return std::int64_t{product.columns.sources} * product.rows.step * product.read.pixel +
         std::int64_t{product.columns.outputs} * product.written.pixel;
}

/// How many lines of outputs are walked for all panels of weights before the next ones, as every
/// panel reads the images again: so many that the images stay in the second-level cache beside the
/// weights. All lines where there is one panel, or the weights leave no room; and with narrow
/// vectors where more is written than read, as long as it stays in the caches: there blocks cost
/// more than they spare. (1x1 64 to 256, 56x56: 0.96 of the time with eight lanes, 0.88 to 0.97
/// with sixteen; batch 8: 0.90 and 0.86 to 0.91.)
constexpr std::int32_t lines_of_block(const window_product& product, layout::architecture target) {
  if (target.lanes < 16 && product.depth < product.units &&
      product.samples * std::int64_t{product.written.sample} <= cached_floats) {
    return product.lines();
  }
  const std::int64_t weights =
      std::int64_t{product.kernel_taps} * product.depth * layout::row_stride(product.units, target);
  const std::int64_t line = floats_of_line(product);
  const std::int64_t fitting = line > 0 ? (nearby_floats - weights) / line : 0;
  return has_several_panels(product, target) && fitting > 0 && fitting < product.lines()
             ? static_cast<std::int32_t>(fitting)
             : product.lines();
}

/// Whether pixels so far apart, in floats, drive each other out of the first-level cache: one of
/// 32 KB in eight ways has room for 32 or fewer pixels that lie 1 KB or a multiple of it apart.
/// (With eight lanes; with sixteen, copying them ahead took 1.24 to 1.36 of the time.)
constexpr bool pixels_collide(std::ptrdiff_t apart, layout::architecture target) {
  return target.lanes == 8 && apart % 256 == 0;
}

/// Whether a weight gradient copies what its tiles read of d to where it lies together: where
/// outputs collide, every tile of a panel reads them again from the second-level cache, and with
/// narrow vectors those that lie 512 bytes apart leave no room for what is read of x. (1x1 64 to
/// 256, 56x56: 0.75 of the time; 1x1 512 to 2048, 7x7: 0.77; 3x3 512 to 512, 7x7: 0.82; of 512
/// bytes: 1x1 512 to 128, 28x28: 0.91; 384 to 384, 64 steps: 0.89.) With sixteen lanes those that
/// lie whole 2 KB apart, for so many tiles that copying does not count (1x1 512 to 2048, 7x7: 0.95;
/// 256 to 1024, 14x14: 0.95; 3x3 512 to 512, 7x7: 0.96; but 128 to 512, 28x28: 1.11).
constexpr bool copies_outputs(const window_product& product, layout::architecture target) {
  constexpr std::int32_t most_together = 256;
  if (product.columns.outputs == 0 || product.columns.outputs > most_together) {
    return false;
  }
  return target.lanes == 8
             ? product.written.pixel % 128 == 0
             : target.lanes >= 16 && product.written.pixel % 512 == 0 && product.depth >= 256;
}

/// Whether those outputs come from memory, and are asked for a block of lines ahead: of one tap
/// each panel reads some lines of the cache of every pixel, too far apart for the processor to see
/// what comes next. (AVX2: 1x1 64 to 256, 56x56, batch 8: 0.91 of the time; 128 to 512, 28x28:
/// 0.98.)
constexpr bool copies_from_afar(const window_product& product) {
  return product.kernel_taps == 1 &&
         product.samples * std::int64_t{product.written.sample} > cached_floats;
}

/// Whether what is read of x comes from memory. Products of one tap ask for what they read next
/// (1x1 256 to 64, 56x56, batch 8: 0.79 to 0.87 of the time, with eight lanes 0.79; 64 to 64 0.91
/// to 0.99; 512 to 128, 28x28, 0.92 to 0.97), as with sixteen lanes do weight gradients.
constexpr bool reads_from_afar(const window_product& product, layout::architecture target) {
  return target.lanes >= 8 && product.samples * std::int64_t{product.read.sample} > cached_floats;
}

/// Whether what is written lies farther than the second-level cache, as outputs of that size do
/// that nobody has read since. Products of one tap ask for them while they multiply. (With sixteen
/// lanes: 128 to 512, 512 steps, outputs from the third-level cache: 0.83 of the time; with eight:
/// 64 to 256, 56x56, batch 8: 0.93.)
constexpr bool writes_afar(const window_product& product, layout::architecture target) {
  return target.lanes >= 8 &&
         product.samples * std::int64_t{product.written.sample} > nearby_floats;
}

/// Whether a weight gradient of one tap sums up few lines of x before the next tile does, and asks
/// for what it reads next: x comes from memory, or its pixels lie whole kilobytes apart, so that
/// the first-level cache keeps a few dozen of them. (With sixteen lanes: 1x1 256 to 64, 56x56: 0.83
/// of the time; 512 to 128, 28x28: 0.95; of pixels nearer by 64 to 256 1.00, 128 to 512 1.04.)
constexpr bool reads_few_lines(const window_product& product, layout::architecture target) {
  constexpr std::ptrdiff_t kilobyte = 1024 / sizeof(float);
  return target.lanes >= 16 && product.kernel_taps == 1 && product.columns.outputs >= 28 &&
         (reads_from_afar(product, target) || product.read.pixel % kilobyte == 0);
}

/// How many lines of outputs a tile of a weight gradient sums up before the next tile does: an
/// output is so short that loading and storing the sums of a tile counts. With wide vectors lines
/// of 256 outputs (3x3 512 to 512, 7x7: 0.71 of the time of a line each; 128 and 512 are no
/// better), fewer where what comes next is asked for, so that it is not too early
/// (1x1 256 to 64, 56x56, batch 8: 0.74 of the time, 64 to 64 0.79, 64 to 256 0.93). With narrow
/// ones what is read must not fall out of the first-level cache (3x3 64 to 64, 56x56, 256
/// outputs: 1.3 of the time): lines that take 24 KB (AVX2: 3x3 64 to 64, 8x8: 0.81 of the time of a
/// line each, 16x16: 0.88; 5x5 6 to 16, 14x14: 0.80), of what is copied 112 outputs (3x3 256 to
/// 256, 14x14: 0.91; 256 are no better).
constexpr std::int32_t lines_of_tile(const window_product& product, layout::architecture target) {
  constexpr std::int64_t nearest_floats = 24 * 1024 / sizeof(float);
  const std::int32_t columns = product.columns.outputs;
  if (!product.has_outputs()) {
    return 1;
  }
  std::int64_t lines = nearest_floats / floats_of_line(product);
  if (target.lanes >= 16) {
    lines = layout::ceiling_quotient(reads_few_lines(product, target) ? 49 : 256, columns);
  } else if (copies_outputs(product, target)) {
    lines = layout::ceiling_quotient(112, columns);
  }
  return lines > 1 ? static_cast<std::int32_t>(lines) : 1;
}

/// How many lines of outputs a weight gradient walks for all panels, and at all taps, before the
/// next ones: each of them reads the images again, the sums of a panel are at hand for its own
/// tiles alone. Whole tiles, at least one, so that the sums of many weights are loaded and stored
/// for as many outputs as a tile has. (A training step of ResNet-8, in which images of 16 channels
/// are 2 MB each: 0.94 of the time on AVX-512, 0.92 on AVX2. Without room for all weights beside
/// the images, on AVX2: 3x3 128 to 128, 28x28, batch 8: 0.88; 1x1 128 to 512: 0.80; 128 to 128, 8
/// times 256 steps: 0.79; 3x3 256 to 256, 14x14, batch 8: 0.96.)
constexpr std::int32_t lines_of_gradient_block(const window_product& product,
                                               layout::architecture target) {
  const std::int64_t line = floats_of_line(product);
  const bool again = product.kernel_taps > 1 || has_several_panels(product, target);
  if (!again || line == 0) {
    return product.lines();
  }
  const std::int64_t of_tile = lines_of_tile(product, target);
  const std::int64_t fitting = nearby_floats / line / of_tile * of_tile;
  return static_cast<std::int32_t>(
      (std::min)((std::max)(fitting, of_tile), std::int64_t{product.lines()}));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
