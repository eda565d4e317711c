// SPDX-License-Identifier: MIT
// The forward pass of a dense layer of few units: samples are lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/dense_few_units.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Whether samples are lanes, counted in multiply-adds of vectors. Units as lanes take one for
/// every sample and input, samples as lanes one for every unit and input, and what some take to
/// turn a vector of inputs into columns, more of which one of sixteen lanes is made of, and one of
/// sums into rows (measured with 8 and 16 lanes).
template <int Batch, int Inputs, int Outputs, layout::architecture Architecture>
constexpr bool samples_are_lanes() {
  using cut = few_units_cut<Architecture, Outputs, Batch>;
  constexpr std::int64_t to_turn_inputs = Architecture.lanes == 16 ? 5 : 2;
  constexpr std::int64_t to_turn_sums = 5;
  constexpr std::int64_t unit_vectors = layout::ceiling_quotient(Outputs, Architecture.lanes);
  constexpr std::int64_t by_units = Batch * Inputs * unit_vectors;
  constexpr std::int64_t by_samples =
      cut::total * (Inputs * (Outputs + to_turn_inputs) + to_turn_sums * cut::rows);
  return layout::panel_count(Outputs, Architecture) == 1 && 10 * by_samples < 9 * by_units;
}

/// Numbers that are turned into columns at once: they stay in the first-level cache.
inline constexpr std::int32_t floats_turned = 2048;

/// `Vectors` vectors of samples, of which `samples` are there: each output is one chain from its
/// bias over ascending inputs.
///   x  [samples][row_stride(Inputs)], w, bias  as of `dense_forward`
///   y  [samples][row_stride(Outputs)], every element written, padding with zero
template <layout::architecture Architecture, int Inputs, int Outputs, int Vectors, typename Cut,
          activation_kind Kind>
[[gnu::noinline]] void few_units_forward(const float* __restrict x, const float* __restrict w,
                                         const float* __restrict bias, float* __restrict y,
                                         std::int32_t samples, float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::int32_t block = Vectors * width;
  constexpr std::int32_t x_stride = layout::row_stride(Inputs, Architecture);
  constexpr std::int32_t panel = layout::panel_width(Outputs, Architecture);
  constexpr std::int32_t floats = layout::row_stride(Outputs, Architecture);
  constexpr std::int32_t most = (std::min)(floats_turned / block / width * width, x_stride);
  alignas(64) float sums[std::size_t{Cut::rows} * block];
  alignas(64) float columns[std::size_t{most} * block];
  alignas(64) float rows[std::size_t{block} * ((std::max)(most, floats))];
  const bool whole = samples == block;
  for (std::int32_t k = 0; k < Inputs; k += most) {
    const std::int32_t inputs = (std::min)(most, Inputs - k);
    const std::int32_t fours = layout::ceiling_quotient(inputs, quad_lanes) * quad_lanes;
    if (whole) {
      rows_to_columns<Architecture>(x + k, x_stride, columns, block, block, fours);
    } else {
      copy_rows<Architecture>(x + k, x_stride, rows, most,
                              layout::whole_vectors(inputs, Architecture), samples, block);
      rows_to_columns<Architecture>(rows, most, columns, block, block, fours);
    }
    few_units_passes<Architecture, Cut, Outputs, Vectors>(
        {w + std::ptrdiff_t{k} * panel, panel, columns, block, inputs}, {k > 0, bias}, sums);
  }
  for (std::int32_t n = 0; Kind != activation_kind::linear && n < Outputs * block; n += width) {
    store(sums + n, activate<Kind>(load<lanes>(sums + n), alpha));
  }
  if (whole) {
    sums_to_rows<Architecture, Cut, Outputs, block, floats>(sums, y, floats);
    return;
  }
  sums_to_rows<Architecture, Cut, Outputs, block, floats>(sums, rows, floats);
  copy_rows<Architecture>(rows, floats, y, floats, floats, samples, samples);
}

/// y = activation(x W + bias) as `dense_forward` makes it, or a grain of it: of its blocks of
/// samples.
template <layout::architecture Architecture, int Batch, int Inputs, int Outputs,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_few_units(const float* x, const float* w,
                                                   const float* bias, float* y, float alpha,
                                                   const grain& part) noexcept {
  using cut = few_units_cut<Architecture, Outputs, Batch>;
  constexpr std::int32_t y_stride = layout::row_stride(Outputs, Architecture);
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  parts_of<cut::total, cut::vectors>(
      range_of(cut::blocks, part),
      [&](auto vectors, std::int32_t first_vector) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::int32_t first = first_vector * Architecture.lanes;
        const std::int32_t samples = (std::min)(Batch - first, vectors * Architecture.lanes);
        float* const to = y + std::ptrdiff_t{first} * y_stride;
        few_units_forward<Architecture, Inputs, Outputs, vectors, cut, in_tile>(
            x + std::ptrdiff_t{first} * layout::row_stride(Inputs, Architecture), w, bias, to,
            samples, alpha);
        if constexpr (!applied_in_registers(Kind) && Kind != activation_kind::softmax) {
          activate_block<Kind, Architecture>(to, y_stride, samples, y_stride, Outputs, alpha);
        }
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
