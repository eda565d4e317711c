// SPDX-License-Identifier: MIT
// The weight gradient of a dense layer of few units: inputs are lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_few_units.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Whether inputs are lanes, counted in multiply-adds of vectors. Units as lanes take one for every
/// input and sample, inputs as lanes one for every unit and sample, and what ten take to turn a
/// vector of sums into rows of units and back (measured with 8 and 16 lanes).
template <int Batch, int Inputs, int Outputs, layout::architecture Architecture>
constexpr bool inputs_are_lanes() {
  using cut = few_units_cut<Architecture, Outputs, Inputs>;
  constexpr std::int64_t to_turn = 10;
  constexpr std::int64_t unit_vectors = layout::ceiling_quotient(Outputs, Architecture.lanes);
  constexpr std::int64_t by_units = Batch * Inputs * unit_vectors;
  constexpr std::int64_t by_inputs = cut::total * (Batch * Outputs + to_turn * cut::rows);
  return layout::panel_count(Outputs, Architecture) == 1 && 10 * by_inputs < 9 * by_units;
}

/// `Vectors` vectors of inputs, of which `inputs` are there: one chain over ascending samples each.
///   from  x from the first of the inputs on;  to  their rows of the panel, padding with zero
template <layout::architecture Architecture, int Outputs, int Vectors, typename Cut, typename Rule>
[[gnu::noinline]] void few_units_gradient(const gradient_factors& from,
                                          const gradient_target<Rule>& to, std::int32_t inputs,
                                          const gradient_step<Rule>& step) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t block = Vectors * Architecture.lanes;
  constexpr std::int32_t stride = layout::panel_width(Outputs, Architecture);
  constexpr std::int32_t floats = layout::row_stride(Outputs, Architecture);
  alignas(64) float sums[std::size_t{Cut::rows} * block];
  alignas(64) float rows[std::size_t{block} * floats];
  const bool whole = inputs == block;
  if (step.continues && whole) {
    rows_to_columns<Architecture>(to.sum, stride, sums, block, block, Cut::rows);
  } else if (step.continues) {
    copy_rows<Architecture>(to.sum, stride, rows, floats, floats, inputs, block);
    rows_to_columns<Architecture>(rows, floats, sums, block, block, Cut::rows);
  }
  few_units_passes<Architecture, Cut, Outputs, Vectors>(
      {from.d, from.d_stride, from.x, from.x_stride, from.batch}, {.continues = step.continues},
      sums);
  if (whole && !step.updates) {
    sums_to_rows<Architecture, Cut, Outputs, block, floats>(sums, to.sum, stride);
    return;
  }
  sums_to_rows<Architecture, Cut, Outputs, block, floats>(sums, rows, floats);
  for (std::int32_t row = 0; row < inputs; ++row) {
    for (std::int32_t n = 0; n < floats; n += Architecture.lanes) {
      finish_gradient<Rule>(to, row * stride + n, load<lanes>(rows + row * floats + n), step);
    }
  }
}

/// dW = x^T d as `dense_weight_gradient` makes it, or a grain of it: of its blocks of inputs.
template <int Batch, int Inputs, int Outputs, typename Rule, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void dense_weight_gradient_few_units(const float* x, const float* d,
                                                           const gradient_target<Rule>& kernel,
                                                           const gradient_step<Rule>& step,
                                                           const grain& part) noexcept {
  using cut = few_units_cut<Architecture, Outputs, Inputs>;
  parts_of<cut::total, cut::vectors>(
      range_of(cut::blocks, part),
      [&](auto vectors, std::int32_t first_vector) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::int32_t first = first_vector * Architecture.lanes;
        const std::int32_t inputs = (std::min)(Inputs - first, vectors * Architecture.lanes);
        const gradient_factors from = {x + first, d, Batch,
                                       layout::row_stride(Inputs, Architecture),
                                       layout::row_stride(Outputs, Architecture)};
        few_units_gradient<Architecture, Outputs, vectors, cut, Rule>(
            from, kernel.at(std::ptrdiff_t{first} * layout::panel_width(Outputs, Architecture)),
            inputs, step);
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
