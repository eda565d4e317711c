// SPDX-License-Identifier: MIT
// A time that no order of the same actions on the same devices can beat.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/study/critical_path.hpp>

namespace ipu_dsl {

namespace critical {

/// Of each action the work and hops that data make come before its step and after it, whatever the
/// rows; a step is an action or several joined ones.
struct surroundings {
  list<std::int64_t> head;  ///< [actions]
  list<std::int64_t> work;  ///< [actions] of the step
  list<std::int64_t> tail;  ///< [actions]
};

/// What comes before an action in the life of its micro-batch in its own stage, or -1.
constexpr int own_predecessor(const examined& exam, int index) {
  const action& what = exam.rows.actions.data()[index];
  if (!uses_edges(what.kind)) {
    return -1;
  }
  const int* const by_micro_batch = exam.steps.by_micro_batch.data() + what.micro_batch;
  // The roles of a stage stand in the order of a life.
  const int first = what.stage * step_roles;
  int role = static_cast<int>(first_role[static_cast<int>(what.kind)]);
  for (--role; role >= 0; --role) {
    const int before = by_micro_batch[(first + role) * exam.rows.micro_batches];
    if (before != 0) {
      return before - 1;
    }
  }
  return -1;
}

/// Calls `visit(index, delay)` with everything that the joined actions of `range` wait for, in
/// other stages and in their own; not with each other.
template <typename Visit>
constexpr void each_predecessor(const examined& exam, joined_range range, const Visit& visit) {
  for (int part = range.first; part <= range.last; ++part) {
    for_each_writer(exam.steps, exam.waits, exam.rows.actions.data()[part], visit);
    const int own = own_predecessor(exam, part);
    if (own >= 0 && (own < range.first || own > range.last)) {
      visit(own, std::int64_t{0});
    }
  }
}

/// Heads in the order of a run, in which data come before those who read them, and tails against
/// it. At the end of a synchronous run every stage is updated.
constexpr surroundings surroundings_of(const examined& exam, const in_order_run& run,
                                       const stage_graph_view& graph) {
  const program_view& rows = exam.rows;
  const int count = static_cast<int>(rows.actions.size());
  surroundings found;
  found.head.resize(rows.actions.size(), 0);
  found.work.resize(rows.actions.size(), 0);
  found.tail.resize(rows.actions.size(), 0);
  const bool synchronous = rows.weights.update_interval == 0;
  for (int i = 0; i < count; ++i) {
    const int index = run.order(i);
    const joined_range range = joined_with(rows, index);
    for (int part = range.first; part <= range.last; ++part) {
      const action& what = rows.actions.data()[part];
      const stage_cost& cost = graph.costs[what.stage];
      found.work.data()[index] += cost.of(what.kind);
      const bool ends = ends_backward[static_cast<int>(what.kind)];
      std::int64_t& tail = found.tail.data()[index];
      tail = synchronous && ends && tail < cost.update ? cost.update : tail;
    }
    std::int64_t& head = found.head.data()[index];
    each_predecessor(exam, range, [&](int before, std::int64_t delay) {
      const std::int64_t end = found.head.data()[before] + found.work.data()[before] + delay;
      head = head < end ? end : head;
    });
  }
  for (int i = count - 1; i >= 0; --i) {
    const int index = run.order(i);
    const std::int64_t after = found.work.data()[index] + found.tail.data()[index];
    each_predecessor(exam, joined_with(rows, index), [&](int before, std::int64_t delay) {
      const joined_range range = joined_with(rows, before);
      for (int part = range.first; part <= range.last; ++part) {
        std::int64_t& tail = found.tail.data()[part];
        tail = tail < delay + after ? delay + after : tail;
      }
    });
  }
  return found;
}

/// The bound of one device: its least head, its work and its least tail. Updates are work without a
/// tail, so that the device is looked at with them and without.
constexpr std::int64_t bound_of_device(const examined& exam, const surroundings& around,
                                       const stage_graph_view& graph, int device) {
  std::int64_t head = INT64_MAX;
  std::int64_t tail = INT64_MAX;
  std::int64_t work = 0;
  std::int64_t updates = 0;
  const int end = exam.rows.row_begin.data()[device + 1];
  for (int index = exam.rows.row_begin.data()[device]; index < end; ++index) {
    const action& what = exam.rows.actions.data()[index];
    const std::int64_t cost = graph.costs[what.stage].of(what.kind);
    work += what.kind == action_kind::update ? 0 : cost;
    updates += what.kind == action_kind::update ? cost : 0;
    // What is offloaded and fetched lies between a forward and a backward of the same device.
    if (uses_edges(what.kind)) {
      head = head < around.head.data()[index] ? head : around.head.data()[index];
      tail = tail < around.tail.data()[index] ? tail : around.tail.data()[index];
    }
  }
  if (head == INT64_MAX) {
    return work + updates;
  }
  return head + work + (tail < updates ? updates : tail);
}

}  // namespace critical

/// A lower bound on the makespan of every order of a proven program's actions on its devices, slots
/// unbounded: the most of head + work + tail of a device, a head being what data make come before
/// its first action and a tail what they make come after its last, and of the longest chain of one
/// micro-batch.
constexpr std::int64_t makespan_bound(const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> slots = unbounded_slots(rows, graph);
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, steps, waits, slots, duration});
  run.advance();
  const critical::examined exam = {rows, steps, waits};
  const critical::surroundings around = critical::surroundings_of(exam, run, graph);
  std::int64_t bound = 0;
  for (int device = 0; device < rows.devices; ++device) {
    const std::int64_t found = critical::bound_of_device(exam, around, graph, device);
    bound = bound < found ? found : bound;
  }
  for (std::size_t index = 0; index < rows.actions.size(); ++index) {
    const std::int64_t chain = around.head[index] + around.work[index] + around.tail[index];
    bound = bound < chain ? chain : bound;
  }
  return bound;
}

}  // namespace ipu_dsl
