// SPDX-License-Identifier: MIT
// SimpleRNN: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/recurrent_step.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&simple_rnn_family> {
  using key = simple_rnn_call;

  template <simple_rnn_call Call>
  static constexpr bool in_grains =
      Call.variant == simple_rnn_variant::step || Call.variant == simple_rnn_variant::gradient_step;

  template <simple_rnn_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::recurrence of = {Call.batch, Call.steps, Call.units};
    constexpr std::int32_t along = of.step_stride(layout::native);
    constexpr std::int32_t sample = of.sample_stride(layout::native);
    constexpr std::ptrdiff_t last = std::ptrdiff_t{along} * (Call.steps - 1);
    if constexpr (Call.variant == simple_rnn_variant::step) {
      kernels::recurrent_step<of, Call.activation>(floats(operands[0]), floats(operands[2]),
                                                   context.step, scalars[0], context.part);
    } else if constexpr (Call.variant == simple_rnn_variant::last) {
      kernels::copy_columns(floats(operands[1]) + last, sample, floats(operands[0]), along,
                            Call.batch, along);
    } else if constexpr (Call.variant == simple_rnn_variant::all_gradients) {
      const float* terms[] = {floats(operands[1])};
      kernels::sum_tensors(terms, 1, floats(operands[0]), std::ptrdiff_t{Call.batch} * sample);
    } else if constexpr (Call.variant == simple_rnn_variant::last_gradient) {
      kernels::clear_tensor(floats(operands[0]), std::ptrdiff_t{Call.batch} * sample);
      kernels::copy_columns(floats(operands[1]), along, floats(operands[0]) + last, sample,
                            Call.batch, along);
    } else {
      kernels::recurrent_gradient_step<of, Call.activation>(
          floats(operands[0]), floats(operands[2]), floats(operands[3]),
          Call.steps - 1 - context.step, scalars[0], context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
