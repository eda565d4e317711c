// SPDX-License-Identifier: MIT
// Which positions of an image meet which outputs at which taps of a kernel, along one axis.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A kernel that walks along one axis of an image.
struct window {
  std::int32_t inputs;        ///< positions of the image
  std::int32_t outputs;       ///< places of the kernel
  std::int32_t taps;          ///< positions of the kernel
  std::int32_t stride;        ///< from one place to the next
  std::int32_t padding;       ///< positions before the image, in which nothing is
  std::int32_t dilation = 1;  ///< from a position that a tap meets to that of the next
};

/// A product over windows along one axis: output o meets at tap t the source
/// step * o + first + slope * t, if there is such. Tap t is position first_tap + tap_step * t of
/// the kernel. Forward, outputs are places of the kernel and sources the image; for the gradient of
/// the image it is the other way round.
struct window_axis {
  std::int32_t outputs;
  std::int32_t sources;
  std::int32_t taps;
  std::int32_t step;
  std::int32_t first;
  std::int32_t slope;
  std::int32_t first_tap;
  std::int32_t tap_step;

  constexpr std::int32_t source(std::int32_t output, std::int32_t tap) const {
    return step * output + first + slope * tap;
  }

  constexpr std::int32_t position_of(std::int32_t tap) const { return first_tap + tap_step * tap; }

  constexpr bool meets(std::int32_t output, std::int32_t tap) const {
    return source(output, tap) >= 0 && source(output, tap) < sources;
  }

  /// The taps at which an output meets a source: they lie beside each other.
  constexpr index_range taps_at(std::int32_t output) const {
    index_range found = {0, taps};
    while (found.begin < found.end && !meets(output, found.begin)) {
      ++found.begin;
    }
    while (found.begin < found.end && !meets(output, found.end - 1)) {
      --found.end;
    }
    return found;
  }

  /// The outputs that meet a source at a tap.
  constexpr index_range outputs_at(std::int32_t tap) const {
    index_range found = {0, outputs};
    while (found.begin < found.end && !meets(found.begin, tap)) {
      ++found.begin;
    }
    while (found.begin < found.end && !meets(found.end - 1, tap)) {
      --found.end;
    }
    return found;
  }

  /// The outputs that meet a source at every tap; at 0 if there are none.
  constexpr index_range full_outputs() const {
    index_range found = {0, outputs};
    for (std::int32_t tap = 0; tap < taps; ++tap) {
      const index_range met = outputs_at(tap);
      found.begin = met.begin > found.begin ? met.begin : found.begin;
      found.end = met.end < found.end ? met.end : found.end;
    }
    return found.begin < found.end ? found : index_range{0, 0};
  }
};

/// Of a forward pass.
constexpr window_axis forward_axis(const window& along) {
  return {.outputs = along.outputs,
          .sources = along.inputs,
          .taps = along.taps,
          .step = along.stride,
          .first = -along.padding,
          .slope = along.dilation,
          .first_tap = 0,
          .tap_step = 1};
}

/// Of the gradient of the image, for the positions phase, phase + stride, ...: those between them
/// meet other taps. Stride or dilation is 1.
constexpr window_axis gradient_axis(const window& along, std::int32_t phase) {
  const std::int32_t first_tap = (phase + along.padding) % along.stride;
  const std::int32_t behind = along.inputs - phase;
  const std::int32_t taps = along.taps - first_tap;
  return {.outputs = behind > 0 ? layout::ceiling_quotient(behind, along.stride) : 0,
          .sources = along.outputs,
          .taps = taps > 0 ? layout::ceiling_quotient(taps, along.stride) : 0,
          .step = 1,
          .first = (phase + along.padding - first_tap) / along.stride,
          .slope = -along.dilation,
          .first_tap = first_tap,
          .tap_step = along.stride};
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
