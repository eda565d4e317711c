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
  list<int> counts(static_cast<std::size_t>(rows.stages * action_kinds));
  const action* const actions = rows.actions.data();
  const int action_count = static_cast<int>(rows.actions.size());
  int* const count = counts.data();
  for (int index = 0; index < action_count; ++index) {
    const action& what = actions[index];
    ++count[what.stage * action_kinds + static_cast<int>(what.kind)];
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

/// Collects the waits of one action after another. Raw pointers, because every call of an access
/// costs steps of constant evaluation.
struct collector {
  const action* actions;
  const int* device_of_stage;
  const int* position;  ///< [actions] place among actions of the same counter
  const int* counts;    ///< [counters] actions of a run
  int device = 0;       ///< of the action
  int begin = 0;        ///< of the waits of the action
  list<wait> waits = {};

  /// Waits for action `number` (counted from 1, 0 is none), keeping the most per counter.
  constexpr void add(int number, bool previous_run) {
    const action& what = actions[number == 0 ? 0 : number - 1];
    if (number == 0 || device_of_stage[what.stage] == device) {
      return;
    }
    const int counter = what.stage * action_kinds + static_cast<int>(what.kind);
    const int at = position[number - 1] - (previous_run ? counts[counter] : 0);
    const int end = static_cast<int>(waits.size());
    for (int known = begin; known < end; ++known) {
      wait& before = waits.data()[known];
      if (before.counter == counter) {
        before.position = before.position < at ? at : before.position;
        return;
      }
    }
    waits.push_back({counter, at});
  }
};

/// The places of actions among those of their counter: [actions].
constexpr list<int> positions(const program_view& rows) {
  list<int> counts(static_cast<std::size_t>(rows.stages * action_kinds));
  const action* const actions = rows.actions.data();
  const int action_count = static_cast<int>(rows.actions.size());
  int* const count = counts.data();
  list<int> position;
  int* const place = reserve_zeros(position, action_count);
  for (int index = 0; index < action_count; ++index) {
    const action& what = actions[index];
    place[index] = count[what.stage * action_kinds + static_cast<int>(what.kind)]++;
  }
  return position;
}

}  // namespace waiting

/// The waits of a program that has been proven with these slots. Waits for actions of the same
/// device are left out: its row keeps their order.
constexpr wait_list waits_of(const program_view& rows, const stage_graph_view& graph,
                             std::span<const int> slots_per_edge) {
  const step_table steps = index_steps(rows);
  const dependences sorted = sort_edges(graph, rows, steps);
  const list<int> counts = counts_of_run(rows);
  const list<int> position = waiting::positions(rows);
  const int* const by_micro_batch = steps.by_micro_batch.data();
  const int* const by_order = steps.by_order.data();
  const int* const place = steps.place.data();
  const int* const read = sorted.read.first.data();
  const int* const next_read = sorted.read.next.data();
  const int* const writer_row = sorted.read.value.data();
  const int* const written = sorted.written.first.data();
  const int* const next_written = sorted.written.next.data();
  const int* const edge_written = sorted.written.value.data();
  const int* const freed = sorted.freed.first.data();
  const int* const next_freed = sorted.freed.next.data();
  const int* const reader_row = sorted.freed.value.data();
  const int* const slots = slots_per_edge.data();
  const int micro_batches = rows.micro_batches;
  waiting::collector collector = {rows.actions.data(), rows.device_of_stage.data(), position.data(),
                                  counts.data()};
  collector.waits.reserve(2 * rows.actions.size());
  wait_list result;
  result.begin.reserve(rows.actions.size() + 1);
  const int count = static_cast<int>(rows.actions.size());
  for (int index = 0; index < count; ++index) {
    const action& what = collector.actions[index];
    collector.device = collector.device_of_stage[what.stage];
    collector.begin = static_cast<int>(collector.waits.size());
    result.begin.push_back(collector.begin);
    if (!uses_edges(what.kind)) {
      continue;
    }
    const int row =
        what.stage * step_roles + static_cast<int>(writing_role[static_cast<int>(what.kind)]);
    // A whole backward reads as both of its halves.
    const int last_row = what.kind == action_kind::backward ? row + 1 : row;
    for (int reading = row; reading <= last_row; ++reading) {
      for (int k = read[reading]; k != 0; k = next_read[k]) {
        collector.add(by_micro_batch[writer_row[k] * micro_batches + what.micro_batch], false);
      }
    }
    for (int k = written[row]; k != 0; k = next_written[k]) {
      const int link = edge_written[k];
      const waiting::tenant before =
          waiting::previous_tenant(place[index], slots[link], micro_batches);
      const int tenant = by_order[row * micro_batches + before.write];
      for (int j = freed[link]; j != 0; j = next_freed[j]) {
        collector.add(by_micro_batch[reader_row[j] * micro_batches + tenant], before.previous_run);
      }
    }
  }
  result.begin.push_back(static_cast<int>(collector.waits.size()));
  result.waits = std::move(collector.waits);
  return result;
}

}  // namespace ipu_dsl
