// SPDX-License-Identifier: MIT
// Dense: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Where the gradient of a parameter goes, from the operands of a weight gradient: first the sums
/// of all parameters, then for each the parameter and what the optimizer keeps of it.
template <update_kind Update>
kernels::gradient_target target_of(void* const* operands, int parameter, int parameters) noexcept {
  kernels::gradient_target to{.sum = floats(operands[parameter])};
  if constexpr (Update != update_kind::none) {
    constexpr int slots = slots_of(Update);
    void* const* const updated = operands + parameters + parameter * (1 + slots);
    to.parameter = floats(updated[0]);
    to.velocity = slots > 0 ? floats(updated[1]) : nullptr;
  }
  return to;
}

template <>
struct operators<&dense_family> {
  using key = dense_call;

  template <dense_call Call>
  static constexpr bool in_grains = kernels::forward_in_grains(Call.batch, Call.activation) ||
                                    Call.variant == dense_variant::input_gradient ||
                                    Call.variant == dense_variant::weight_gradient;

  template <dense_call Call>
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
      constexpr update_kind update = Call.ending;
      constexpr int parameters = Call.has_bias != 0 ? 2 : 1;
      constexpr int updated = update == update_kind::none ? 0 : 1 + slots_of(update);
      constexpr int read = parameters * (1 + updated);
      kernels::gradient_step step{.continues = context.continues, .shared = context.part.count > 1};
      if constexpr (update != update_kind::none) {
        step.updates = context.completes;
        step.numbers = {context.optimizer[0], context.optimizer[1]};
      }
      kernels::gradient_target bias;
      if constexpr (Call.has_bias != 0) {
        bias = target_of<update>(operands, 1, parameters);
      }
      kernels::dense_weight_gradient<Call.batch, Call.inputs, Call.units, update>(
          floats(operands[read]), floats(operands[read + 1]),
          target_of<update>(operands, 0, parameters), bias, step, context.part);
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
