// SPDX-License-Identifier: MIT
// LSTM: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/lstm_step.hpp>
#include <ipu_dsl/operators/operators.hpp>
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
    constexpr kernels::lstm_sequence of = {Call.batch,
                                           Call.steps,
                                           Call.units,
                                           Call.activation,
                                           Call.recurrent_activation,
                                           Call.carries != 0 ? 2 : Call.steps};
    const kernels::gate_alphas alphas = {scalars[0], scalars[1]};
    if constexpr (Call.variant == lstm_variant::step) {
      constexpr bool carries = Call.carries != 0;
      const kernels::walked_step step =
          carries ? kernels::walked_step::carried()
                  : kernels::walked_step(context.step, Call.steps, Call.from_last != 0);
      kernels::lstm_step<of>(floats(operands[0]), floats(operands[1]), floats(operands[2]),
                             floats(operands[3]), step, alphas, context.part);
    } else {
      constexpr bool has_cell = Call.hands_over_cell != 0;
      const kernels::lstm_gradients gradients = {
          floats(operands[0]), floats(operands[1]),
          floats(operands[2]), floats(operands[3]),
          floats(operands[4]), has_cell ? floats(operands[has_cell ? 6 : 0]) : nullptr};
      kernels::lstm_gradient_step<of>(
          gradients, floats(operands[5]),
          kernels::walked_step(context.step, Call.steps, Call.from_last == 0), alphas,
          context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
