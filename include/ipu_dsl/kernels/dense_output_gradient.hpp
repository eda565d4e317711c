// SPDX-License-Identifier: MIT
// From the gradient of a dense layer's output to that of its pre-activation, in both layouts.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/kernels/transpose.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How a gradient lies in memory: `[batch][row_stride(units)]`, as losses and elementwise layers
/// leave it, or `[units][batch_stride(batch)]`, as `dense_input_gradient` does.
enum class gradient_layout { batch_major, transposed };

/// Four samples of a gradient as they stand in their rows, four units each, masked by the
/// activation. `sample` and `unit` are those of the block's corner.
template <activation_kind Kind, gradient_layout Layout, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void masked_block(quad (&block)[4], const float* gradient, const float* y,
                                        std::int32_t sample, std::int32_t unit, std::int32_t batch,
                                        std::int32_t units, float alpha) {
  const std::ptrdiff_t row_stride = layout::row_stride(units, Architecture);
  const std::ptrdiff_t batch_stride = layout::batch_stride(batch, Architecture);
  const std::ptrdiff_t corner = sample * row_stride + unit;
  if constexpr (Layout == gradient_layout::transposed) {
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      const float* const column = gradient + (unit + i) * batch_stride + sample;
      block[i] = unit + i < units ? load<quad>(column) : quad(0.0F);
    }
    transpose_quads(block);
  } else {
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      block[i] = sample + i < batch ? load<quad>(gradient + corner + i * row_stride) : quad(0.0F);
    }
  }
  if constexpr (Kind != activation_kind::linear) {
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      if (sample + i < batch) {
        const quad output = load<quad>(y + corner + i * row_stride);
        block[i] = gradient_through<Kind>(block[i], output, alpha);
      }
    }
  }
}

/// Samples whose columns are walked together: those of one cache line of a transposed gradient.
/// All at once, rows of 256 units would share too few places of the first-level cache.
inline constexpr std::int32_t samples_of_line = 16;

/// All samples of the units in `fours`, counted in fours: one pass that masks the gradient and
/// writes it in both layouts.
template <activation_kind Kind, gradient_layout Layout, layout::architecture Architecture>
[[gnu::noinline]] void dense_output_gradient_units(const float* __restrict gradient,
                                                   const float* __restrict y, float* __restrict d,
                                                   float* __restrict d_transposed,
                                                   std::int32_t batch, std::int32_t units,
                                                   const index_range& fours, float alpha) noexcept {
  const std::ptrdiff_t row_stride = layout::row_stride(units, Architecture);
  const std::int32_t batch_stride = layout::batch_stride(batch, Architecture);
  const auto one_block = [&](std::int32_t sample, std::int32_t unit) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    quad block[4];
    masked_block<Kind, Layout, Architecture>(block, gradient, y, sample, unit, batch, units, alpha);
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      if (sample + i < batch) {
        store(d + (sample + i) * row_stride + unit, block[i]);
      }
    }
    if (d_transposed != nullptr) {
      transpose_quads(block);
      IPU_DSL_UNROLLED
      for (int i = 0; i < 4; ++i) {
        if (unit + i < units) {
          store(d_transposed + std::ptrdiff_t{unit + i} * batch_stride + sample, block[i]);
        }
      }
    }
  };
  for (std::int32_t first = 0; first < batch_stride; first += samples_of_line) {
    const std::int32_t left = batch_stride - first;
    const std::int32_t last = first + (left < samples_of_line ? left : samples_of_line);
    for (std::int32_t four = fours.begin; four < fours.end; ++four) {
      for (std::int32_t sample = first; sample < last; sample += quad_lanes) {
        one_block(sample, four * quad_lanes);
      }
    }
  }
}

/// d = gradient * activation'(x), from y = activation(x), or a grain of it; softmax, whose gradient
/// needs whole rows, has no grains.
///   gradient      in `Layout`; y  [Batch][row_stride(Units)]
///   d             [Batch][row_stride(Units)], what the weight gradient reads
///   d_transposed  [Units][batch_stride(Batch)], what the input gradient reads; null if not needed
/// `Kind` is linear for an activation whose derivative needs its input: then `gradient` has been
/// multiplied by `activation_gradient_from_input` before, and `y` may be null.
template <int Batch, int Units, activation_kind Kind, gradient_layout Layout,
          layout::architecture Architecture = layout::native>
void dense_output_gradient(const float* __restrict gradient, const float* __restrict y,
                           float* __restrict d, float* __restrict d_transposed, float alpha,
                           const grain& part = {}) noexcept {
  if constexpr (Kind == activation_kind::softmax) {
    const float* batch_major = gradient;
    if constexpr (Layout == gradient_layout::transposed) {
      transpose<Architecture>(gradient, d, Units, Batch);
      batch_major = d;
    }
    softmax_gradient<Architecture>(batch_major, y, d, Batch, Units);
    if (d_transposed != nullptr) {
      transpose<Architecture>(d, d_transposed, Batch, Units);
    }
  } else {
    constexpr std::int32_t fours = layout::row_stride(Units, Architecture) / quad_lanes;
    dense_output_gradient_units<Kind, Layout, Architecture>(gradient, y, d, d_transposed, Batch,
                                                            Units, range_of(fours, part), alpha);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
