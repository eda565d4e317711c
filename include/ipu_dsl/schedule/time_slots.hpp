// SPDX-License-Identifier: MIT
// Lockstep time slots for programs that come without them.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

namespace slotting {

/// The slot after those of everything that an action reads, or 0.
constexpr int slot_after_data(const step_view& steps, const dependences& waits, const action& what,
                              const int* slot) {
  int earliest = 0;
  for_each_writer(steps, waits, what, [&](int writer, std::int64_t) {
    earliest = earliest <= slot[writer] ? slot[writer] + 1 : earliest;
  });
  return earliest;
}

/// What time slots are given to, and how far that has come.
struct slot_cells {
  int* slot = nullptr;  ///< [actions] the time slot of each
  int* next = nullptr;  ///< [devices] the first slot that a device has free
};

/// Gives slots to the actions `order[begin]` and on, up to the end of the step that `order[end -
/// 1]` belongs to; where to go on. In the order of a run data comes before those who read it, and
/// joined actions follow each other.
constexpr int give_slots(const run_input& input, const int* order, int begin, int end,
                         const slot_cells& cells) {
  const action* const actions = input.rows.actions.data();
  const int* const device = input.rows.device_of_stage.data();
  const int count = static_cast<int>(input.rows.actions.size());
  int done = begin;
  while (done < end) {
    const int first = order[done];
    int& device_next = cells.next[device[actions[first].stage]];
    int earliest = device_next;
    int part = first;
    for (bool more = true; more; ++part) {
      const int after = slot_after_data(input.steps, input.waits, actions[part], cells.slot);
      earliest = earliest < after ? after : earliest;
      more = actions[part].joined && part + 1 < count &&
             device[actions[part + 1].stage] == device[actions[part].stage];
    }
    done += part - first;
    for (int joined = first; joined < part; ++joined) {
      cells.slot[joined] = earliest;
    }
    device_next = earliest + 1;
  }
  return done;
}

/// The updates at the end of a synchronous run share a slot behind all others.
constexpr void share_last_slot(const program_view& rows, int* slot) {
  const action* const actions = rows.actions.data();
  const int count = static_cast<int>(rows.actions.size());
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
}

}  // namespace slotting

/// The time slots of a proven program in which every action takes one and joined actions take one
/// together: [actions]. The updates at the end of a synchronous run share the last.
constexpr list<int> unit_slots(const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> unbounded = unbounded_slots(rows, graph);
  const list<std::int64_t> duration = durations(graph);
  const run_input input = {rows, steps, waits, unbounded, duration};
  in_order_run run(input);
  run.advance();
  list<int> found(rows.actions.size(), 0);
  list<int> next(rows.devices);
  slotting::give_slots(input, run.orders(), 0, static_cast<int>(rows.actions.size()),
                       {found.data(), next.data()});
  slotting::share_last_slot(rows, found.data());
  return found;
}

/// Whether the time slots of a proven program agree with its data: every action in a later slot
/// than what it reads, or in the same one behind it on the same device. Slots that a text's columns
/// give need not, and lockstep time would mean nothing with them.
constexpr bool slots_agree_with_data(const program_view& rows, const step_view& steps,
                                     const dependences& waits) {
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

constexpr bool slots_agree_with_data(const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  return slots_agree_with_data(rows, steps, sort_edges(graph, rows, steps));
}

}  // namespace ipu_dsl
