// SPDX-License-Identifier: MIT
// When every action starts and ends, by two models of time.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>
#include <ipu_dsl/schedule/proven_rows.hpp>
#include <ipu_dsl/schedule/time_slots.hpp>

namespace ipu_dsl {

/// Start and end of one action, in the unit of the costs; the run starts at 0.
struct timed_action {
  std::int64_t start;
  std::int64_t end;

  friend constexpr bool operator==(const timed_action&, const timed_action&) = default;
};

/// The end of the last action.
constexpr std::int64_t makespan_of(list_view<timed_action> timeline) {
  std::int64_t last = 0;
  for (const timed_action& times : timeline) {
    last = last < times.end ? times.end : last;
  }
  return last;
}

/// The times of a complete run. An action that is joined to others ends with its own work, though
/// what it writes is there only when they all end.
constexpr list<timed_action> times_of(const in_order_run& run, const program_view& rows,
                                      list_view<std::int64_t> duration) {
  const std::int64_t* const start = run.starts() + 1;
  const action* const actions = rows.actions.data();
  const std::int64_t* const length = duration.data();
  const int count = static_cast<int>(rows.actions.size());
  list<timed_action> timeline(rows.actions.size());
  timed_action* const times = timeline.data();
  for (int index = 0; index < count; ++index) {
    times[index].start = start[index] - 1;
    times[index].end =
        times[index].start +
        length[actions[index].stage * action_kinds + static_cast<int>(actions[index].kind)];
  }
  return timeline;
}

/// Devices that wait for nothing but data and slots: every action starts as soon as it can. The
/// program must have been proven with these slots, or throws `error` at run time; the result is
/// [actions].
constexpr list<timed_action> asynchronous_timeline(const program_view& rows,
                                                   const stage_graph_view& graph,
                                                   list_view<int> slots_per_edge = {}) {
  require_proven(rows, graph, slots_per_edge);
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, steps, waits, slots, duration});
  run.advance();
  return times_of(run, rows, duration);
}

/// Devices with a barrier after every time slot, with the slots given, [actions], which ascend in
/// each row and agree with its data: nobody asks that again.
constexpr list<timed_action> timeline_of_slots(const program_view& rows,
                                               const stage_graph_view& graph,
                                               list_view<int> time_slots) {
  const list<std::int64_t> durations_of_kinds = durations(graph);
  const std::int64_t* const duration = durations_of_kinds.data();
  const action* const actions = rows.actions.data();
  const int* const slot_of = time_slots.data();
  const int* const row_begin = rows.row_begin.data();
  const int count = static_cast<int>(rows.actions.size());
  int slots = 0;
  for (int device = 0; device < rows.devices; ++device) {
    const int end = row_begin[device + 1];
    slots = end > row_begin[device] && slots <= slot_of[end - 1] ? slot_of[end - 1] + 1 : slots;
  }
  list<timed_action> timeline(rows.actions.size());
  timed_action* const times = timeline.data();
  list<std::int64_t> lengths(slots);
  std::int64_t* const length = lengths.data();
  // First the place of each action within its slot, and the length of each slot.
  for (int device = 0; device < rows.devices; ++device) {
    int slot = -1;
    std::int64_t time = 0;
    const int end = row_begin[device + 1];
    for (int index = row_begin[device]; index < end; ++index) {
      const action& what = actions[index];
      time = slot == slot_of[index] ? time : 0;
      slot = slot_of[index];
      times[index].start = time;
      time += duration[what.stage * action_kinds + static_cast<int>(what.kind)];
      times[index].end = time;
      length[slot] = length[slot] < time ? time : length[slot];
    }
  }
  std::int64_t begin = 0;
  for (int slot = 0; slot < slots; ++slot) {
    const std::int64_t next = begin + length[slot];
    length[slot] = begin;
    begin = next;
  }
  for (int index = 0; index < count; ++index) {
    const std::int64_t offset = length[slot_of[index]];
    times[index].start += offset;
    times[index].end += offset;
  }
  return timeline;
}

/// Devices with a barrier after every time slot, as IPUs have: a slot lasts as long as the longest
/// device's sum of actions in it, and actions of a device in a slot follow each other. The program
/// must be proven; its slots, where it has some, ascend in each row. Where it has none, or some
/// that do not agree with its data, every action takes one, as in a session.
constexpr list<timed_action> lockstep_timeline(const program_view& rows,
                                               const stage_graph_view& graph) {
  require_proven(rows, graph);
  if (!rows.slot.empty() && slots_agree_with_data(rows, graph)) {
    return timeline_of_slots(rows, graph, rows.slot);
  }
  return timeline_of_slots(rows, graph, unit_slots(rows, graph));
}

}  // namespace ipu_dsl
