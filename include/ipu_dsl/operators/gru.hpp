// SPDX-License-Identifier: MIT
// GRU: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/gru_reset_first.hpp>
#include <ipu_dsl/kernels/gru_step.hpp>
#include <ipu_dsl/operators/recurrence.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&gru_family> {
  using key = gru_call;

  template <gru_call Call>
  static constexpr bool in_grains = true;

  template <gru_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::gru_sequence of = {
        Call.batch,         Call.steps, Call.units, Call.activation, Call.recurrent_activation,
        kept_states<Call>()};
    const kernels::gate_alphas alphas = {scalars[0], scalars[1]};
    float* const first = floats(operands[0]);
    if constexpr (Call.variant == gru_variant::step) {
      const kernels::walked_step step = forward_step<Call>(context);
      float* const states = floats(operands[2]) + first_state<Call>();
      if constexpr (Call.resets_after != 0) {
        const float* const bias = Call.has_bias != 0 ? floats(operands[4]) : nullptr;
        kernels::gru_step<of>(first, floats(operands[1]), states, floats(operands[3]), bias, step,
                              alphas, context.part);
      } else {
        kernels::gru_reset_first_step<of>(first, floats(operands[1]), states, floats(operands[3]),
                                          step, alphas, context.part);
      }
    } else {
      const kernels::walked_step step = backward_step<Call>(context);
      constexpr bool reads_states =
          Call.resets_after != 0 && (Call.steps > 1 || Call.is_given != 0);
      const kernels::gru_gradients gradients = {
          first,
          floats(operands[1]),
          floats(operands[2]),
          floats(operands[3]),
          floats(operands[4]),
          reads_states ? floats(operands[reads_states ? 7 : 0]) + first_state<Call>() : nullptr,
          floats(operands[5])};
      if constexpr (Call.resets_after != 0) {
        kernels::gru_gradient_step<of>(gradients, floats(operands[6]), step, alphas, context.part);
      } else {
        kernels::gru_reset_first_gradient_step<of>(gradients, floats(operands[6]), step, alphas,
                                                   context.part);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
