// SPDX-License-Identifier: MIT
// The calls of an optimizer that updates every parameter for itself.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

/// A call for each parameter that the node at hand updates: it updates the parameter and what the
/// optimizer keeps of it, and reads the gradient.
constexpr void update_each_parameter(emitter& emit) {
  const family& optimizer = emit.optimizer();
  for (std::int32_t i = 0; i < emit.parameters(); ++i) {
    if (!emit.updates(i)) {
      continue;
    }
    const tensor& parameter = emit.parameter(i);
    call_draft call = emit.call_of(optimizer, parameter_extents{parameter.lies, parameter.extents});
    const axis_id element = call.over(parameter.extents.elements());
    call.updates(emit.parameter_value(i).flat(), {element});
    for (std::int32_t slot = 0; slot < optimizer.kept.count(); ++slot) {
      call.updates(emit.optimizer_slot(i, slot).flat(), {element});
    }
    call.reads(emit.accumulator(i).flat(), {element});
  }
}

}  // namespace ipu_dsl
