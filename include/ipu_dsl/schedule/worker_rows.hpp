// SPDX-License-Identifier: MIT
// The rows of workers when there are fewer of them than devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl {

/// One ordered row of actions per worker, as indices into the program's actions.
struct worker_rows {
  list<int> actions;    ///< [actions] worker after worker
  list<int> row_begin;  ///< [workers + 1]
};

/// One order of all actions in which nothing comes before what it waits for: by start, and where
/// actions start together in the order in which they ran. `rank[index]` is the place of an action
/// in the run of the proof, `start[index]` its start.
struct global_order {
  list<int> rank;             ///< [actions]
  list<std::int64_t> start;  ///< [actions]
};

/// The global order of a program that has been proven with these slots.
constexpr global_order order_of(const program_view& rows, const stage_graph_view& graph,
                                std::span<const int> slots_per_edge) {
  const step_table steps = index_steps(rows);
  const dependences waits =
      sort_edges(graph, rows.device_of_stage, only_forward(steps, rows.stages));
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, steps, waits, slots, duration});
  run.advance();
  const int count = static_cast<int>(rows.actions.size());
  global_order order;
  order.rank.resize(rows.actions.size());
  order.start.reserve(rows.actions.size());
  for (int i = 0; i < count; ++i) {
    order.rank.data()[run.order(i)] = i;
    order.start.push_back(run.start(i));
  }
  return order;
}

namespace projection {

/// Appends the merged rows of the devices of one worker.
constexpr void append_worker(const program_view& rows, const global_order& order,
                             const list<int>& devices, list<int>& merged) {
  const std::int64_t* const start = order.start.data();
  const int* const rank = order.rank.data();
  list<int> next_of;
  int left = 0;
  for (const int device : devices) {
    const int begin = rows.row_begin.data()[device];
    next_of.push_back(begin);
    left += rows.row_begin.data()[device + 1] - begin;
  }
  int* const next = next_of.data();
  const int ways = static_cast<int>(devices.size());
  for (; left > 0; --left) {
    int best = -1;
    int best_way = 0;
    for (int way = 0; way < ways; ++way) {
      const int index = next[way];
      if (index == rows.row_begin.data()[devices.data()[way] + 1]) {
        continue;
      }
      if (best < 0 || start[index] < start[best] ||
          (start[index] == start[best] && rank[index] < rank[best])) {
        best = index;
        best_way = way;
      }
    }
    merged.push_back(best);
    ++next[best_way];
  }
}

}  // namespace projection

/// The rows of workers, each doing the actions of its devices in the global order. Rows that are
/// parts of one legal order cannot deadlock, for any number of workers and any assignment; waits
/// for actions of other devices stay sufficient.
constexpr worker_rows project(const program_view& rows, const global_order& order, int workers,
                              std::span<const int> worker_of_device) {
  worker_rows projected;
  projected.actions.reserve(rows.actions.size());
  projected.row_begin.push_back(0);
  for (int worker = 0; worker < workers; ++worker) {
    list<int> devices;
    for (int device = 0; device < rows.devices; ++device) {
      if (worker_of_device.data()[device] == worker) {
        devices.push_back(device);
      }
    }
    projection::append_worker(rows, order, devices, projected.actions);
    projected.row_begin.push_back(static_cast<int>(projected.actions.size()));
  }
  return projected;
}

}  // namespace ipu_dsl
