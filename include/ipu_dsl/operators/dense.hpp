// SPDX-License-Identifier: MIT
// Dense: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/update.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&dense_family> {
  using key = dense_call;

  template <dense_call Call>
  static constexpr bool in_grains = kernels::forward_in_grains(Call.batch, Call.activation) ||
                                    Call.variant == dense_variant::input_gradient ||
                                    Call.variant == dense_variant::weight_gradient;

  /// `Ending` is the optimizer with whose update a weight gradient ends, if it does.
  template <dense_call Call, const family* Ending = nullptr>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    if constexpr (Call.variant == dense_variant::forward) {
      const float* bias = Call.has_bias != 0 ? floats(operands[3]) : nullptr;
      kernels::dense_forward<Call.batch, Call.inputs, Call.units, Call.activation>(
          floats(operands[1]), floats(operands[2]), bias, floats(operands[0]), scalars[0],
          context.part);
    } else if constexpr (Call.variant == dense_variant::output_gradient) {
      constexpr auto lies = Call.gradient_by_unit != 0 ? kernels::gradient_layout::transposed
                                                       : kernels::gradient_layout::batch_major;
      constexpr int read = Call.writes_by_unit != 0 ? 2 : 1;
      float* transposed = Call.writes_by_unit != 0 ? floats(operands[1]) : nullptr;
      kernels::dense_output_gradient<Call.batch, Call.units, Call.activation, lies>(
          floats(operands[read]), floats(operands[read + 1]), floats(operands[0]), transposed,
          scalars[0], context.part);
    } else if constexpr (Call.variant == dense_variant::input_gradient) {
      static_assert(Call.gradient_by_unit != 0,
                    "ipu_dsl: Dense writes its input's gradient by unit");
      kernels::dense_input_gradient<Call.batch, Call.inputs, Call.units>(
          floats(operands[1]), floats(operands[2]), floats(operands[0]), context.part);
    } else {
      using rule = typename update_rule<Ending>::type;
      const gradient_operands<rule> given(context, operands, Call.has_bias != 0 ? 2 : 1);
      kernels::dense_weight_gradient<Call.batch, Call.inputs, Call.units, rule>(
          floats(given.read[0]), floats(given.read[1]), given.target(0), given.target(1),
          given.step, context.part);
    }
  }
};

/// From rows to columns or back.
template <>
struct operators<&transpose_family> {
  using key = transpose_call;

  template <transpose_call Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    kernels::transpose(floats(operands[1]), floats(operands[0]), Call.rows, Call.columns);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
