// SPDX-License-Identifier: MIT
// SimpleRNN: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/recurrent_step.hpp>
#include <ipu_dsl/operators/recurrence.hpp>
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
    constexpr std::int32_t kept = Call.steps + (Call.is_given != 0 ? 1 : 0);
    constexpr std::int32_t first = first_state<Call>();
    if constexpr (Call.variant == simple_rnn_variant::step) {
      constexpr kernels::recurrence of = {Call.batch, kept, Call.units};
      kernels::recurrent_step<of, Call.activation>(floats(operands[0]) + first, floats(operands[2]),
                                                   forward_step<Call>(context), scalars[0],
                                                   context.part);
    } else {
      constexpr kernels::recurrence of = {Call.batch, Call.steps, Call.units, kept};
      kernels::recurrent_gradient_step<of, Call.activation>(
          floats(operands[0]), floats(operands[2]), floats(operands[3]) + first,
          kernels::walked_step(context.step, Call.steps, Call.from_last == 0), scalars[0],
          context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
