// SPDX-License-Identifier: MIT
// Sequences of which not all steps are there: which kernel each variant is.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/masked_steps.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/masked_steps.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&masked_steps_family> {
  using key = masked_steps_call;

  template <masked_steps_call Call>
  static void run(const run_context&, void* const* operands, const float* scalars) noexcept {
    using enum masked_steps_variant;
    constexpr kernels::masked_steps of = {Call.batch, Call.steps, Call.units, Call.from_last != 0,
                                          Call.is_given != 0};
    constexpr bool in_order = Call.in_order != 0;
    float* const made = floats(operands[0]);
    if constexpr (Call.variant == words) {
      kernels::mask_words(integers(operands[1]), made, Call.batch, Call.steps);
    } else if constexpr (Call.variant == masked) {
      kernels::mask_steps<of>(floats(operands[2]), made, floats(operands[1]), scalars[0]);
    } else if constexpr (Call.variant == joined) {
      const float* masks[std::size_t{Call.units}] = {};
      for (std::int32_t i = 0; i < Call.units; ++i) {
        masks[i] = floats(operands[1 + i]);
      }
      kernels::join_masks<of>(masks, made);
    } else {
      const float* const read = floats(operands[1]);
      const float* const masks = floats(operands[2]);
      if constexpr (Call.variant == packed) {
        kernels::pack_steps<of>(read, masks, made);
      } else if constexpr (Call.variant == unpacked) {
        kernels::unpack_steps<of>(read, masks, made);
      } else if constexpr (Call.variant == repeated) {
        kernels::repeat_states<of, in_order>(read, masks, made);
      } else if constexpr (Call.variant == summed) {
        kernels::sum_state_gradients<of, in_order>(read, masks, made);
      } else if constexpr (Call.variant == last) {
        kernels::take_last_state<of, Call.hands_over_given != 0>(read, masks, made);
      } else if constexpr (Call.variant == held) {
        kernels::hold_state<of>(made, floats(operands[2]));
      } else if constexpr (Call.variant == given_added) {
        kernels::add_to_given<of>(read, masks, made);
      } else if constexpr (Call.variant == mean) {
        kernels::mean_of_steps<of>(read, masks, made);
      } else if constexpr (Call.variant == mean_gradient) {
        kernels::spread_mean<of>(read, masks, made);
      } else if constexpr (Call.variant == last_added) {
        kernels::add_last_gradient<of>(read, masks, made);
      } else {
        kernels::mask_gradients<of>(read, masks, made);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
