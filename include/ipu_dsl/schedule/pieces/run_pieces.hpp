// SPDX-License-Identifier: MIT
// The run of a large program, some actions in each constant evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl::pieces {

/// Where a run stands, in static storage.
template <std::size_t Devices, std::size_t Actions>
struct frozen_run {
  frozen_list<std::int64_t, Actions + 1> finish;
  frozen_list<std::int64_t, Actions + 1> start;
  frozen_list<std::int64_t, Devices> free_at;
  frozen_list<int, Devices> cursor;
  frozen_list<int, Actions> order;

  constexpr run_state state() {
    return {finish.elements, start.elements, free_at.elements, cursor.elements, order.elements};
  }

  /// The end of the last action, on a clock that begins at 0.
  constexpr std::int64_t makespan() const {
    std::int64_t last = 1;
    for (const std::int64_t end : free_at) {
      last = last < end ? end : last;
    }
    return last - 1;
  }

  constexpr bool complete(const program_view& rows) const {
    bool all = true;
    for (int device = 0; device < rows.devices; ++device) {
      all = all && cursor[device] == rows.row_begin.data()[device + 1];
    }
    return all;
  }
};

/// What every piece of a run reads: the steps that were entered when the rows were walked, the
/// edges, and the slots given or, if none are, as many as micro-batches.
class run_tables {
 public:
  constexpr run_tables(const step_view& entered, const program_view& rows,
                       const stage_graph_view& graph, dependences waits,
                       list_view<int> slots_per_edge = {})
      : rows_(rows),
        steps_(entered),
        waits_(std::move(waits)),
        slots_(slots_or_unbounded(rows, graph, slots_per_edge)),
        duration_(durations(graph)) {}

  constexpr run_input input() const { return {rows_, steps_, waits_, slots_, duration_}; }

 private:
  const program_view& rows_;
  step_table steps_;
  dependences waits_;
  list<int> slots_;
  list<std::int64_t> duration_;
};

/// The state before the first action.
template <typename Frozen>
constexpr Frozen begin_frozen_run(const program_view& rows) {
  Frozen begun;
  begin_run(begun.state(), rows);
  return begun;
}

/// The state after `most` actions more, or fewer if there are no more or devices wait forever.
template <typename Frozen>
constexpr Frozen run_on(const Frozen& before, const run_tables& tables, int most) {
  Frozen after = before;
  in_order_run run(tables.input(), after.state());
  run.advance(most);
  return after;
}

/// What is found of a run that has come as far as it can: nothing, or what waits forever.
template <typename Frozen>
constexpr verdict judge_run(const Frozen& last, const run_tables& tables,
                            const stage_graph_view& graph, std::string_view name) {
  // Devices that find once more that they wait say what for.
  Frozen state = last;
  const run_input input = tables.input();
  in_order_run run(input, state.state());
  run.advance();
  return run.complete()
             ? verdict()
             : proof::explain_deadlock(proof::begin_examination(input.rows, graph, name,
                                                                step_table(step_view(input.steps))),
                                       input, run);
}

/// The slots found so far, and those of the edges in a range.
template <std::size_t Edges, typename Frozen>
constexpr frozen_list<int, Edges> add_slots(const frozen_list<int, Edges>& before,
                                            const Frozen& last, const run_tables& tables,
                                            edge_range range) {
  Frozen state = last;
  const run_input input = tables.input();
  const in_order_run run(input, state.state());
  const list<int> found = slots_of_run(input, run, range);
  frozen_list<int, Edges> after = before;
  int link = range.begin;
  for (const int slots : found) {
    after.elements[link] = slots;
    ++link;
  }
  return after;
}

/// When every action of a complete run started and ended.
template <std::size_t Devices, std::size_t Actions>
constexpr frozen_list<timed_action, Actions> timeline_of(const frozen_run<Devices, Actions>& last,
                                                         const run_tables& tables) {
  frozen_run<Devices, Actions> state = last;
  const run_input input = tables.input();
  const in_order_run run(input, state.state());
  return freeze_list<Actions>(times_of(run, input.rows, input.duration));
}

}  // namespace ipu_dsl::pieces
