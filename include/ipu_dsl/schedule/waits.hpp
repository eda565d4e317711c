// SPDX-License-Identifier: MIT
// What an executor has to wait for before each action, in terms of counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

/// Counters count the completed actions of one kind of one stage, in the order of their row, over
/// all runs: stage x action_kinds + kind.
constexpr int counter_of(int stage, action_kind kind) {
  return stage * action_kinds + static_cast<int>(kind);
}

/// Wait until more than `position` actions of this run are counted. A negative position speaks of
/// the previous run: with c actions of the counter a run, run r waits until the counter, less
/// r x c, exceeds it, compared by signed difference. In run 0 that holds from the start.
struct wait {
  int counter = 0;
  int position = 0;

  friend constexpr bool operator==(const wait&, const wait&) = default;
};

/// The waits of all actions, one flat list: those of the action at `index` are
/// `waits[begin[index]] .. waits[begin[index + 1] - 1]`.
struct wait_list {
  list<int> begin;  ///< [actions + 1]
  list<wait> waits;
};

/// How many actions of each counter a run has: [stages x action_kinds].
constexpr list<int> counts_of_run(const program_view& rows) {
  list<int> counts(static_cast<std::size_t>(rows.stages * action_kinds), 0);
  for (const action& what : rows.actions) {
    ++counts.data()[counter_of(what.stage, what.kind)];
  }
  return counts;
}

namespace waiting {

/// Where the writer of the k-th micro-batch of an edge finds its slot's previous tenant: the number
/// of that write, and how many runs ago it was.
struct tenant {
  int write;
  bool previous_run;
};

constexpr tenant previous_tenant(int write, int depth, int micro_batches) {
  if (write >= depth) {
    return {write - depth, false};
  }
  // The last write of the previous run that fell on the same slot; each run begins at slot 0.
  return {write + (micro_batches - 1 - write) / depth * depth, true};
}

/// What collecting waits looks at.
struct collector {
  const program_view& rows;
  const step_table& steps;
  const dependences& waits;
  const int* slots;
  const int* position;  ///< [actions] place among actions of the same counter
  const int* counts;    ///< [counters] actions of a run
  wait_list collected = {};

  /// Waits for the action at `index` (counted from 1, 0 is none), keeping the most per counter.
  constexpr void add(int number, int device, bool previous_run) {
    if (number == 0) {
      return;
    }
    const action& what = rows.actions.data()[number - 1];
    if (rows.device_of_stage.data()[what.stage] == device) {
      return;
    }
    const int counter = counter_of(what.stage, what.kind);
    const int at = position[number - 1] - (previous_run ? counts[counter] : 0);
    const int begin = collected.begin.back();
    const int end = static_cast<int>(collected.waits.size());
    for (int known = begin; known < end; ++known) {
      wait& before = collected.waits.data()[known];
      if (before.counter == counter) {
        before.position = before.position < at ? at : before.position;
        return;
      }
    }
    collected.waits.push_back({counter, at});
  }

  constexpr void add_data(int row, int micro_batch, int device) {
    const int* const by_micro_batch = steps.by_micro_batch.data();
    for (int k = waits.read.first.data()[row]; k != 0; k = waits.read.next.data()[k]) {
      add(by_micro_batch[waits.read.value.data()[k] * rows.micro_batches + micro_batch], device,
          false);
    }
  }

  constexpr void add_slots(int row, int index, int device) {
    const int* const by_micro_batch = steps.by_micro_batch.data();
    for (int k = waits.written.first.data()[row]; k != 0; k = waits.written.next.data()[k]) {
      const int link = waits.written.value.data()[k];
      const tenant before =
          previous_tenant(steps.place.data()[index], slots[link], rows.micro_batches);
      const int micro_batch = steps.by_order.data()[row * rows.micro_batches + before.write];
      for (int j = waits.freed.first.data()[link]; j != 0; j = waits.freed.next.data()[j]) {
        add(by_micro_batch[waits.freed.value.data()[j] * rows.micro_batches + micro_batch], device,
            before.previous_run);
      }
    }
  }
};

}  // namespace waiting

/// The waits of a program that has been proven with these slots. Waits for actions of the same
/// device are left out: its row keeps their order.
constexpr wait_list waits_of(const program_view& rows, const stage_graph_view& graph,
                             std::span<const int> slots_per_edge) {
  const step_table steps = index_steps(rows);
  const dependences sorted =
      sort_edges(graph, rows.device_of_stage, only_forward(steps, rows.stages));
  list<int> counts(static_cast<std::size_t>(rows.stages * action_kinds), 0);
  list<int> position;
  position.reserve(rows.actions.size());
  for (const action& what : rows.actions) {
    int& count = counts.data()[counter_of(what.stage, what.kind)];
    position.push_back(count);
    ++count;
  }
  waiting::collector collector = {rows,          steps, sorted, slots_per_edge.data(),
                                  position.data(), counts.data()};
  collector.collected.begin.reserve(rows.actions.size() + 1);
  collector.collected.waits.reserve(2 * rows.actions.size());
  collector.collected.begin.push_back(0);
  for (int device = 0; device < rows.devices; ++device) {
    const int end = rows.row_begin.data()[device + 1];
    for (int index = rows.row_begin.data()[device]; index < end; ++index) {
      const action& what = rows.actions.data()[index];
      if (what.kind != action_kind::update) {
        const int row =
            what.stage * step_roles + static_cast<int>(writing_role[static_cast<int>(what.kind)]);
        collector.add_data(row, what.micro_batch, device);
        if (what.kind == action_kind::backward) {
          collector.add_data(row + 1, what.micro_batch, device);
        }
        collector.add_slots(row, index, device);
      }
      collector.collected.begin.push_back(static_cast<int>(collector.collected.waits.size()));
    }
  }
  return std::move(collector.collected);
}

}  // namespace ipu_dsl
