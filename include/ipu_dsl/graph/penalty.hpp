// SPDX-License-Identifier: MIT
// Calls that add the gradient of a parameter's penalty to that of the loss.
#pragma once

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

/// Adds l1 sign(w) + 2 l2 w to a gradient, as often as the update's gradient counts the loss; reads
/// w. The key is `parameter_extents`, the scalars are l1 and 2 l2.
inline constexpr family penalty_family{.name = "penalty"};

/// Once an update, when the gradient of parameter `i` is complete: before the optimizer sees it, as
/// the penalty is part of the loss.
constexpr void add_penalty(emitter& emit, std::int32_t i) {
  const tensor& parameter = emit.parameter(i);
  if (is_null(parameter.rules) || !parameter.rules->penalizes()) {
    return;
  }
  call_draft call =
      emit.call_of(penalty_family, parameter_extents{parameter.lies, parameter.extents});
  const axis_id element = call.over(parameter.extents.elements());
  call.scalar(parameter.rules->l1)
      .scalar(2 * parameter.rules->l2)
      .updates(emit.accumulator(i).flat(), {element})
      .reads(emit.parameter_value(i).flat(), {element});
}

}  // namespace ipu_dsl
