// SPDX-License-Identifier: MIT
// From the gradient of a dense layer's output to that of its pre-activation, in both layouts.
#pragma once

#include <algorithm>
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

/// Distances between rows of samples and between rows of units, in floats.
struct gradient_strides {
  std::ptrdiff_t row;
  std::ptrdiff_t column;
};

/// As many samples as a vector holds, all of them there, of `fours` fours of units: as
/// `dense_output_gradient_units`. Vector i has samples i, 4 + i, ... in fours of units.
template <activation_kind Kind, gradient_layout Layout, std::int32_t Count>
IPU_DSL_ALWAYS_INLINE void whole_samples(const float* __restrict gradient,
                                         const float* __restrict y, float* __restrict d,
                                         float* __restrict d_transposed,
                                         const gradient_strides& strides, std::int32_t fours,
                                         float alpha) {
  const std::ptrdiff_t column = strides.column;
  for (; fours > 0; --fours) {
    // Or clang keeps the places of all rows in memory, and moves each of them on.
    std::ptrdiff_t row = strides.row;
    asm("" : "+r"(row) : "r"(fours));
    const std::ptrdiff_t apart = quad_lanes * row;
    quads<Count> block[4];
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      block[i] = Layout == gradient_layout::transposed
                     ? load<quads<Count>>(gradient + i * column)
                     : load_quads<Count>(gradient + i * row, apart);
    }
    if constexpr (Layout == gradient_layout::transposed) {
      transpose_quads(block);
    }
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      if constexpr (Kind != activation_kind::linear) {
        block[i] = gradient_through<Kind>(block[i], load_quads<Count>(y + i * row, apart), alpha);
      }
      store_quads<Count>(d + i * row, apart, block[i]);
    }
    if (d_transposed != nullptr) {
      transpose_quads(block);
      IPU_DSL_UNROLLED
      for (int i = 0; i < 4; ++i) {
        store(d_transposed + i * column, block[i]);
      }
      d_transposed += quad_lanes * column;
    }
    gradient += Layout == gradient_layout::transposed ? quad_lanes * column : quad_lanes;
    if constexpr (Kind != activation_kind::linear) {
      y += quad_lanes;
    }
    d += quad_lanes;
  }
}

/// Samples whose columns are walked together: those of one cache line of a transposed gradient.
/// All at once, rows of 256 units would share too few places of the first-level cache.
inline constexpr std::int32_t samples_of_line = 16;

/// Samples of `samples`, counted as far as whole vectors, and units of `fours`: as
/// `dense_output_gradient_units`, four by four, some of which may not be there.
template <activation_kind Kind, gradient_layout Layout, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void samples_in_blocks(const float* __restrict gradient,
                                             const float* __restrict y, float* __restrict d,
                                             float* __restrict d_transposed, std::int32_t batch,
                                             std::int32_t units, const index_range& samples,
                                             const index_range& fours, float alpha) {
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
  for (std::int32_t first = samples.begin; first < samples.end; first += samples_of_line) {
    const std::int32_t last = (std::min)(samples.end, first + samples_of_line);
    for (std::int32_t four = fours.begin; four < fours.end; ++four) {
      for (std::int32_t sample = first; sample < last; sample += quad_lanes) {
        one_block(sample, four * quad_lanes);
      }
    }
  }
}

/// All samples of the units in `fours`, counted in fours: one pass that masks the gradient and
/// writes it in both layouts.
template <activation_kind Kind, gradient_layout Layout, layout::architecture Architecture>
[[gnu::noinline]] void dense_output_gradient_units(const float* __restrict gradient,
                                                   const float* __restrict y, float* __restrict d,
                                                   float* __restrict d_transposed,
                                                   std::int32_t batch, std::int32_t units,
                                                   const index_range& fours, float alpha) noexcept {
  constexpr std::int32_t lanes = Architecture.lanes;
  const std::int32_t batch_stride = layout::batch_stride(batch, Architecture);
  const gradient_strides strides{layout::row_stride(units, Architecture), batch_stride};
  const std::int32_t end_of_whole = (std::min)(fours.end, units / quad_lanes);
  const std::int32_t whole_batch = end_of_whole > fours.begin ? batch / lanes * lanes : 0;
  for (std::int32_t sample = 0; sample < whole_batch; sample += lanes) {
    const std::ptrdiff_t unit = std::ptrdiff_t{fours.begin} * quad_lanes;
    const std::ptrdiff_t corner = sample * strides.row + unit;
    const std::ptrdiff_t column = unit * strides.column + sample;
    whole_samples<Kind, Layout, lanes / quad_lanes>(
        gradient + (Layout == gradient_layout::transposed ? column : corner),
        Kind == activation_kind::linear ? y : y + corner, d + corner,
        d_transposed == nullptr ? nullptr : d_transposed + column, strides,
        end_of_whole - fours.begin, alpha);
  }
  const auto in_blocks = [&](const index_range& samples, const index_range& of)
                             IPU_DSL_ALWAYS_INLINE_LAMBDA {
                               samples_in_blocks<Kind, Layout, Architecture>(
                                   gradient, y, d, d_transposed, batch, units, samples, of, alpha);
                             };
  in_blocks({0, whole_batch}, {end_of_whole, fours.end});
  in_blocks({whole_batch, batch_stride}, fours);
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
