// SPDX-License-Identifier: MIT
// What an executor has to wait for before each action, in terms of counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
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
struct awaited_count {
  int counter = 0;
  int position = 0;

  friend constexpr bool operator==(const awaited_count&, const awaited_count&) = default;
};

/// The waits of all actions, one flat list: those of the action at `index` are
/// `waits[begin[index]] .. waits[begin[index + 1] - 1]`.
struct wait_list {
  list<int> begin;  ///< [actions + 1]
  list<awaited_count> waits;
};

/// How many actions of each counter a run has: [stages x action_kinds].
constexpr list<int> counts_of_run(const program_view& rows) {
  list<int> counts(rows.stages * action_kinds);
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
  list<awaited_count> waits = {};

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
      awaited_count& before = waits.data()[known];
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
  list<int> counts(rows.stages * action_kinds);
  const action* const actions = rows.actions.data();
  const int action_count = static_cast<int>(rows.actions.size());
  int* const count = counts.data();
  list<int> position(rows.actions.size());
  int* const place = position.data();
  for (int index = 0; index < action_count; ++index) {
    const action& what = actions[index];
    place[index] = count[what.stage * action_kinds + static_cast<int>(what.kind)]++;
  }
  return position;
}

/// The waits of the actions [first, last) of a program that has been proven with the slots of the
/// input; their numbers begin at 0.
constexpr wait_list collect(const run_input& input, list_view<int> counts, list_view<int> position,
                            int first, int last) {
  const int* const by_micro_batch = input.steps.by_micro_batch.data();
  const int* const by_order = input.steps.by_order.data();
  const int* const place = input.steps.place.data();
  const int* const read = input.waits.read.first.data();
  const int* const next_read = input.waits.read.next.data();
  const int* const writer_row = input.waits.read.value.data();
  const int* const written = input.waits.written.first.data();
  const int* const next_written = input.waits.written.next.data();
  const int* const edge_written = input.waits.written.value.data();
  const int* const freed = input.waits.freed.first.data();
  const int* const next_freed = input.waits.freed.next.data();
  const int* const reader_row = input.waits.freed.value.data();
  const int* const slots = input.slots.data();
  const int micro_batches = input.rows.micro_batches;
  collector found = {input.rows.actions.data(), input.rows.device_of_stage.data(), position.data(),
                     counts.data()};
  const int count = last - first;
  found.waits.reserve(2 * count);
  wait_list result;
  result.begin.reserve(count + 1);
  for (int index = first; index < last; ++index) {
    const action& what = found.actions[index];
    found.device = found.device_of_stage[what.stage];
    found.begin = static_cast<int>(found.waits.size());
    result.begin.push_back(found.begin);
    if (!uses_edges(what.kind)) {
      continue;
    }
    const int row =
        what.stage * step_roles + static_cast<int>(first_role[static_cast<int>(what.kind)]);
    const int last_row =
        what.stage * step_roles + static_cast<int>(last_role[static_cast<int>(what.kind)]);
    for (int reading = row; reading <= last_row; ++reading) {
      for (int k = read[reading]; k != 0; k = next_read[k]) {
        found.add(by_micro_batch[writer_row[k] * micro_batches + what.micro_batch], false);
      }
    }
    for (int k = written[row]; k != 0; k = next_written[k]) {
      const int link = edge_written[k];
      const tenant before = previous_tenant(place[index], slots[link], micro_batches);
      const int written_for = by_order[row * micro_batches + before.write];
      for (int j = freed[link]; j != 0; j = next_freed[j]) {
        found.add(by_micro_batch[reader_row[j] * micro_batches + written_for], before.previous_run);
      }
    }
  }
  result.begin.push_back(static_cast<int>(found.waits.size()));
  result.waits = std::move(found.waits);
  return result;
}

}  // namespace waiting

/// The waits of a program that has been proven with these slots. Waits for actions of the same
/// device are left out: its row keeps their order.
constexpr wait_list waits_of(const program_view& rows, const stage_graph_view& graph,
                             list_view<int> slots_per_edge) {
  const step_table steps = index_steps(rows);
  const dependences sorted = sort_edges(graph, rows, steps);
  const list<int> counts = counts_of_run(rows);
  const list<int> position = waiting::positions(rows);
  return waiting::collect({rows, steps, sorted, slots_per_edge, {}}, counts, position, 0,
                          static_cast<int>(rows.actions.size()));
}

}  // namespace ipu_dsl
