// SPDX-License-Identifier: MIT
// What the actions of a stage cost, from what their calls cost.
#pragma once

#include <cstdint>

#include <ipu_dsl/plan/lowered_program.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>

namespace ipu_dsl {

/// Adds a call to the cost of its phase.
constexpr void add_cost(stage_cost& cost, const call& row) {
  switch (row.phase) {
    case call_phase::forward:
      cost.forward += row.operations;
      break;
    case call_phase::input_gradient:
      cost.input_gradient += row.operations;
      break;
    case call_phase::weight_gradient:
      cost.weight_gradient += row.operations;
      break;
    case call_phase::update:
      cost.update += row.operations;
      break;
  }
}

/// The modelled cost of every stage in multiply-adds a micro-batch (a run for the update).
constexpr list<stage_cost> stage_costs(const lowered_view& program, std::int32_t stages) {
  list<stage_cost> costs;
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    stage_cost cost{.forward = 0, .input_gradient = 0, .weight_gradient = 0, .update = 0};
    const std::size_t begin = action_entry(stage, action_kind::forward);
    const std::int32_t last = program.first_call[begin + action_kinds];
    for (std::int32_t i = program.first_call[begin]; i < last; ++i) {
      add_cost(cost, program.calls[i]);
    }
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace ipu_dsl
