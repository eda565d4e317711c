// SPDX-License-Identifier: MIT
// How the calls of recurrent layers walk over their steps.
#pragma once

#include <cstdint>

#include <ipu_dsl/kernels/recurrent_step.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// States of a sample in memory: of all steps, with one that is given; or two that are carried.
template <auto Call>
constexpr std::int32_t kept_states() {
  return Call.carries != 0 ? 2 : Call.steps + (Call.is_given != 0 ? 1 : 0);
}

/// Where in them the state of the first place stands: one that is given may stand before it.
template <auto Call>
constexpr std::int32_t first_state() {
  return Call.is_given != 0 && Call.from_last == 0 ? layout::row_stride(Call.units) : 0;
}

template <auto Call>
constexpr kernels::walked_step forward_step(const run_context& context) {
  if constexpr (Call.carries != 0) {
    return kernels::walked_step::carried();
  } else {
    using enum kernels::given_state;
    return kernels::walked_step(context.step, Call.steps, Call.from_last != 0,
                                Call.is_given != 0 ? before_first : none);
  }
}

template <auto Call>
constexpr kernels::walked_step backward_step(const run_context& context) {
  using enum kernels::given_state;
  return kernels::walked_step(context.step, Call.steps, Call.from_last == 0,
                              Call.is_given != 0 ? behind_last : none);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
