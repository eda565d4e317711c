// SPDX-License-Identifier: MIT
// The rows of workers when there are fewer of them than devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

/// One ordered row of actions per worker, as indices into the program's actions; those of replica r
/// of the program are r times their number further.
struct worker_rows {
  list<int> actions;    ///< [replicas x actions] worker after worker
  list<int> row_begin;  ///< [workers + 1]
};

namespace projection {

/// What the global order compares: start, then the place in the run of the proof.
struct order_key {
  std::int64_t start;
  int rank;
  int index;
};

/// Merges two neighbouring sorted parts.
constexpr void merge(const order_key* from, int begin, int middle, int end, order_key* to) {
  int left = begin;
  int right = middle;
  for (int i = begin; i < end; ++i) {
    const bool take_right =
        left == middle ||
        (right < end &&
         (from[right].start < from[left].start ||
          (from[right].start == from[left].start && from[right].rank < from[left].rank)));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

}  // namespace projection

/// One order of all actions in which nothing comes before what it waits for: by start, and where
/// actions start together in the order in which the proof ran them. Action indices; the program
/// must have been proven with these slots. It suits one worker, and parts of it suit several.
constexpr list<int> global_order(const program_view& rows, const stage_graph_view& graph,
                                 std::span<const int> slots_per_edge) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, steps, waits, slots, duration});
  run.advance();
  const int count = static_cast<int>(rows.actions.size());
  list<projection::order_key> first;
  list<projection::order_key> second;
  first.reserve(rows.actions.size());
  second.reserve(rows.actions.size());
  projection::order_key* from = first.data();
  projection::order_key* to = second.data();
  for (int rank = 0; rank < count; ++rank) {
    const int index = run.order(rank);
    from[index] = {run.start(index), rank, index};
  }
  // Rows are sorted already; neighbours are merged until one is left.
  for (int width = 1; width < rows.devices; width *= 2) {
    for (int device = 0; device < rows.devices; device += 2 * width) {
      const int middle = device + width < rows.devices ? device + width : rows.devices;
      const int end = middle + width < rows.devices ? middle + width : rows.devices;
      projection::merge(from, rows.row_begin.data()[device], rows.row_begin.data()[middle],
                        rows.row_begin.data()[end], to);
    }
    std::swap(from, to);
  }
  list<int> order;
  order.reserve(rows.actions.size());
  for (int i = 0; i < count; ++i) {
    order.push_back(from[i].index);
  }
  return order;
}

/// The rows of workers, each doing the actions of its devices in the global order. Rows that are
/// parts of one legal order cannot deadlock, for any number of workers and any assignment; waits
/// for actions of other devices stay sufficient.
/// A program with replicas has as many devices for each; they take turns action by action.
constexpr worker_rows project(const program_view& rows, std::span<const int> order, int workers,
                              std::span<const int> worker_of_device) {
  worker_rows projected;
  const int devices = rows.devices > 0 ? rows.devices : 1;
  const int replicas = static_cast<int>(worker_of_device.size()) / devices;
  const int actions = static_cast<int>(rows.actions.size());
  projected.actions.reserve(rows.actions.size() * static_cast<std::size_t>(replicas));
  projected.row_begin.push_back(0);
  const int* const device_of_stage = rows.device_of_stage.data();
  for (int worker = 0; worker < workers; ++worker) {
    for (const int index : order) {
      const int device = device_of_stage[rows.actions.data()[index].stage];
      for (int replica = 0; replica < replicas; ++replica) {
        if (worker_of_device.data()[replica * rows.devices + device] == worker) {
          projected.actions.push_back(replica * actions + index);
        }
      }
    }
    projected.row_begin.push_back(static_cast<int>(projected.actions.size()));
  }
  return projected;
}

}  // namespace ipu_dsl
