// SPDX-License-Identifier: MIT
// SimpleRNN: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/recurrent_step.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&simple_rnn_family> {
  using key = simple_rnn_call;

  template <simple_rnn_call Call>
  static constexpr bool in_grains = true;

  template <simple_rnn_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::recurrence of = {Call.batch, Call.steps, Call.units};
    if constexpr (Call.variant == simple_rnn_variant::step) {
      kernels::recurrent_step<of, Call.activation>(
          floats(operands[0]), floats(operands[2]),
          Call.carries != 0 ? kernels::walked_step::carried()
                            : kernels::walked_step(context.step, Call.steps, Call.from_last != 0),
          scalars[0], context.part);
    } else {
      kernels::recurrent_gradient_step<of, Call.activation>(
          floats(operands[0]), floats(operands[2]), floats(operands[3]),
          kernels::walked_step(context.step, Call.steps, Call.from_last == 0), scalars[0],
          context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
