// SPDX-License-Identifier: MIT
// LocallyConnected1D: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/locally_connected1d.hpp>
#include <ipu_dsl/operators/conv2d.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/update.hpp>
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&locally_connected1d_family> {
  using key = locally_connected1d_call;

  template <locally_connected1d_call Call>
  static constexpr bool in_grains = true;

  /// `Ending` is the optimizer with whose update a weight gradient ends, if it does.
  template <locally_connected1d_call Call, const family* Ending = nullptr>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::local_windows windows = windows_of(Call);
    if constexpr (Call.variant == locally_connected1d_variant::forward) {
      const float* bias = Call.has_bias != 0 ? floats(operands[3]) : nullptr;
      kernels::multiply_local_windows<windows, Call.activation>(
          floats(operands[1]), floats(operands[2]), bias, floats(operands[0]), scalars[0],
          context.part);
    } else if constexpr (Call.variant == locally_connected1d_variant::input_gradient) {
      kernels::spread_local_windows<windows>(floats(operands[1]), floats(operands[2]),
                                             floats(operands[0]), context.part);
    } else {
      using rule = typename update_rule<Ending>::type;
      const gradient_operands<rule> given(context, operands, Call.has_bias != 0 ? 2 : 1);
      kernels::gradient_of_local_windows<windows, rule>(floats(given.read[0]),
                                                        floats(given.read[1]), given.target(0),
                                                        given.target(1), given.step, context.part);
    }
  }

 private:
  static constexpr kernels::local_windows windows_of(const locally_connected1d_call& call) {
    return {.samples = call.batch,
            .steps = call.steps,
            .channels = call.channels,
            .filters = call.filters,
            .taps = call.taps,
            .stride = call.stride,
            .outputs = call.outputs};
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
