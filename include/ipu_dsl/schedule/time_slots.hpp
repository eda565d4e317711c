// SPDX-License-Identifier: MIT
// Lockstep time slots for programs that come without them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

namespace slotting {

/// The slot after those of everything that an action reads, or 0.
constexpr int slot_after_data(const step_table& steps, const dependences& waits, const action& what,
                              const int* slot) {
  int earliest = 0;
  for_each_writer(steps, waits, what, [&](int writer, std::int64_t) {
    earliest = earliest <= slot[writer] ? slot[writer] + 1 : earliest;
  });
  return earliest;
}

}  // namespace slotting

/// The time slots of a proven program in which every action takes one and joined actions take one
/// together: [actions]. The updates at the end of a synchronous run share the last.
constexpr list<int> unit_slots(const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> unbounded = unbounded_slots(rows, graph);
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, steps, waits, unbounded, duration});
  run.advance();
  const action* const actions = rows.actions.data();
  const int count = static_cast<int>(rows.actions.size());
  list<int> found(rows.actions.size(), 0);
  list<int> next(static_cast<std::size_t>(rows.devices));
  int* const slot = found.data();
  // The run tells an order in which data comes before those who read it; joined actions follow
  // each other in it.
  for (int i = 0; i < count; ++i) {
    const int first = run.order(i);
    int& device_next = next.data()[rows.device_of_stage.data()[actions[first].stage]];
    int earliest = device_next;
    int part = first;
    for (bool more = true; more; ++part) {
      const int after = slotting::slot_after_data(steps, waits, actions[part], slot);
      earliest = earliest < after ? after : earliest;
      more = actions[part].joined && part + 1 < count &&
             rows.device_of_stage.data()[actions[part + 1].stage] ==
                 rows.device_of_stage.data()[actions[part].stage];
    }
    i += part - first - 1;
    for (int joined = first; joined < part; ++joined) {
      slot[joined] = earliest;
    }
    device_next = earliest + 1;
  }
  const bool synchronous = rows.weights.update_interval == 0;
  int final_slot = 0;
  for (int index = 0; index < count; ++index) {
    if (actions[index].kind != action_kind::update && final_slot <= slot[index]) {
      final_slot = slot[index] + 1;
    }
  }
  for (int device = 0; device < rows.devices && synchronous; ++device) {
    const int begin = rows.row_begin.data()[device];
    int index = rows.row_begin.data()[device + 1] - 1;
    for (; index >= begin && actions[index].kind == action_kind::update; --index) {
      slot[index] = final_slot;
    }
  }
  return found;
}

/// Whether the time slots of a proven program agree with its data: every action in a later slot
/// than what it reads, or in the same one behind it on the same device. Slots that a text's columns
/// give need not, and lockstep time would mean nothing with them.
constexpr bool slots_agree_with_data(const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const int* const device = rows.device_of_stage.data();
  const action* const actions = rows.actions.data();
  const int* const slot = rows.slot.data();
  const int count = static_cast<int>(rows.actions.size());
  bool agree = true;
  for (int index = 0; index < count && agree; ++index) {
    for_each_writer(steps, waits, actions[index], [&](int writer, std::int64_t) {
      const bool together = device[actions[writer].stage] == device[actions[index].stage];
      agree = agree && slot[writer] + (together ? 0 : 1) <= slot[index];
    });
  }
  return agree;
}

}  // namespace ipu_dsl
