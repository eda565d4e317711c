// SPDX-License-Identifier: MIT
// LSTM: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/lstm_step.hpp>
#include <ipu_dsl/operators/recurrence.hpp>
#include <ipu_dsl/vocabulary/layers/lstm.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&lstm_family> {
  using key = lstm_call;

  template <lstm_call Call>
  static constexpr bool in_grains = true;

  template <lstm_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::lstm_sequence of = {
        Call.batch,         Call.steps, Call.units, Call.activation, Call.recurrent_activation,
        kept_states<Call>()};
    constexpr std::int32_t first = first_state<Call>();
    const kernels::gate_alphas alphas = {scalars[0], scalars[1]};
    if constexpr (Call.variant == lstm_variant::step) {
      kernels::lstm_step<of>(floats(operands[0]), floats(operands[1]) + first,
                             floats(operands[2]) + first, floats(operands[3]),
                             forward_step<Call>(context), alphas, context.part);
    } else {
      constexpr bool has_cell = Call.hands_over_cell != 0;
      const float* const of_cell = has_cell ? floats(operands[has_cell ? 6 : 0]) : nullptr;
      const kernels::lstm_gradients gradients = {floats(operands[0]),
                                                 floats(operands[1]),
                                                 floats(operands[2]),
                                                 floats(operands[3]),
                                                 floats(operands[4]) + first,
                                                 Call.is_masked != 0 ? nullptr : of_cell,
                                                 Call.is_masked != 0 ? of_cell : nullptr};
      kernels::lstm_gradient_step<of>(gradients, floats(operands[5]), backward_step<Call>(context),
                                      alphas, context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
