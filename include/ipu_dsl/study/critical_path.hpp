// SPDX-License-Identifier: MIT
// What a run's makespan is made of: the chain of actions of which none could start earlier.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/joined_step.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl {

namespace critical {

/// What an asynchronous timeline is looked at with.
struct examined {
  const program_view& rows;
  const step_table& steps;
  const dependences& waits;
};

/// Calls `visit(reader)` with the actions that free the slots into which an action writes.
template <typename Visit>
constexpr void each_slot_reader(const examined& exam, list_view<int> slots, int index,
                                const Visit& visit) {
  const action& what = exam.rows.actions.data()[index];
  if (!uses_edges(what.kind)) {
    return;
  }
  const int row = role_row(what.stage, first_role[static_cast<int>(what.kind)]);
  const int micro_batches = exam.rows.micro_batches;
  for (int k = exam.waits.written.first.data()[row]; k != 0;
       k = exam.waits.written.next.data()[k]) {
    const int link = exam.waits.written.value.data()[k];
    const int back = exam.steps.place.data()[index] - slots[link];
    for (int j = back < 0 ? 0 : exam.waits.freed.first.data()[link]; j != 0;
         j = exam.waits.freed.next.data()[j]) {
      const int tenant = exam.steps.by_order.data()[row * micro_batches + back];
      const int cell = exam.waits.freed.value.data()[j] * micro_batches + tenant;
      const int reader = exam.steps.by_micro_batch.data()[cell];
      if (reader != 0) {
        visit(reader - 1);
      }
    }
  }
}

/// Calls `visit(backward)` with the backwards of the other copies that an update waits for.
template <typename Visit>
constexpr void each_copy_backward(const examined& exam, int index, const Visit& visit) {
  const action& what = exam.rows.actions.data()[index];
  const int copies = exam.rows.weights.copies;
  if (copies < 2 || what.kind != action_kind::update) {
    return;
  }
  const int length = exam.rows.stages / copies;
  for (int twin = what.stage % length; twin < exam.rows.stages; twin += length) {
    const int row = role_row(twin, step_role::backward_end) * exam.rows.micro_batches;
    for (int i = 0; twin != what.stage && i < exam.rows.micro_batches; ++i) {
      visit(exam.steps.by_micro_batch.data()[row + i] - 1);
    }
  }
}

}  // namespace critical

/// A chain of actions from the start of a run to its end, each of which starts when the one before
/// it lets it. The makespan is the sum of the four waits and of the work of the last action.
struct critical_path {
  list<int> actions;       ///< action indices, by time
  std::int64_t rows = 0;   ///< work of actions for whose device the next one waits
  std::int64_t data = 0;   ///< work of actions for whose data the next one waits
  std::int64_t slots = 0;  ///< work of actions for whose slot the next one waits
  std::int64_t hops = 0;   ///< time of those data from device to device
};

namespace critical {

/// How an action on the path came to wait for the one before it.
struct predecessor {
  int index = -1;
  std::int64_t critical_path::* wait = nullptr;
  std::int64_t hop = 0;
};

/// When what an action writes is there: joined actions hand over when the last of them ends.
constexpr std::int64_t handed_over(const program_view& rows, list_view<timed_action> timeline,
                                   int index) {
  return timeline[joined_with(rows, index).last].end;
}

/// What the joined actions of `range` waited for last.
constexpr predecessor predecessor_of(const examined& exam, list_view<timed_action> timeline,
                                     list_view<int> slots, joined_range range) {
  const program_view& rows = exam.rows;
  const std::int64_t start = timeline[range.first].start;
  const int device = rows.device_of_stage.data()[rows.actions.data()[range.first].stage];
  // If row and data end together it is the row, so that what is said to wait for data does.
  if (range.first > rows.row_begin.data()[device] && timeline[range.first - 1].end == start) {
    return {range.first - 1, &critical_path::rows, 0};
  }
  predecessor found;
  const auto take = [&](int index, std::int64_t critical_path::* wait, std::int64_t hop) {
    if (found.index < 0 && handed_over(rows, timeline, index) + hop == start) {
      found = {joined_with(rows, index).last, wait, hop};
    }
  };
  for (int part = range.first; part <= range.last; ++part) {
    for_each_writer(
        exam.steps, exam.waits, exam.rows.actions.data()[part],
        [&](int writer, std::int64_t delay) { take(writer, &critical_path::data, delay); });
    each_copy_backward(exam, part, [&](int backward) { take(backward, &critical_path::data, 0); });
    each_slot_reader(exam, slots, part,
                     [&](int reader) { take(reader, &critical_path::slots, 0); });
  }
  return found;
}

}  // namespace critical

/// The critical path of the asynchronous timeline of a proven program, found from the end back;
/// `slots_per_edge` are those of the timeline. Of several paths it is the one that ends in the
/// first action of the list and goes along rows where it can.
constexpr critical_path critical_path_of(const program_view& rows, const stage_graph_view& graph,
                                         list_view<timed_action> timeline,
                                         list_view<int> slots_per_edge = {}) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const critical::examined exam = {rows, steps, waits};
  int index = 0;
  for (int other = 1; other < static_cast<int>(timeline.size()); ++other) {
    index = timeline[other].end > timeline[index].end ? other : index;
  }
  critical_path path;
  while (index >= 0 && !timeline.empty()) {
    const joined_range range = joined_with(rows, index);
    for (int part = index; part >= range.first; --part) {
      path.actions.push_back(part);
      const timed_action& times = timeline[part];
      path.rows += part < index ? times.end - times.start : 0;
    }
    const std::int64_t start = timeline[range.first].start;
    const critical::predecessor before =
        start == 0 ? critical::predecessor()
                   : critical::predecessor_of(exam, timeline, slots, range);
    index = before.index;
    if (index >= 0) {
      const timed_action& times = timeline[index];
      path.*before.wait += times.end - times.start;
      path.hops += before.hop;
    }
  }
  for (std::size_t i = 0; 2 * i + 1 < path.actions.size(); ++i) {
    const int other = path.actions[path.actions.size() - 1 - i];
    path.actions[path.actions.size() - 1 - i] = path.actions[i];
    path.actions[i] = other;
  }
  return path;
}

}  // namespace ipu_dsl
