// SPDX-License-Identifier: MIT
// The rows of workers when there are fewer of them than devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

/// One ordered row of actions per worker, as indices into the program's actions; those of replica r
/// of the program are r times their number further.
struct worker_rows {
  list<int> actions;    ///< [replicas x actions] worker after worker
  list<int> row_begin;  ///< [workers + 1]
};

namespace projection {

/// What the global order compares: start, then the place in the run of the proof. By action.
struct order_keys {
  const std::int64_t* start;
  const int* rank;
};

/// Merges two neighbouring sorted parts of actions.
constexpr void merge(const order_keys& keys, const int* from, int begin, int middle, int end,
                     int* to) {
  int left = begin;
  int right = middle;
  for (int i = begin; i < end; ++i) {
    bool take_right = left == middle;
    if (!take_right && right < end) {
      const int one = from[left];
      const int other = from[right];
      take_right = keys.start[other] < keys.start[one] ||
                   (keys.start[other] == keys.start[one] && keys.rank[other] < keys.rank[one]);
    }
    to[i] = take_right ? from[right++] : from[left++];
  }
}

/// Merges the sorted parts of `width` devices each, two by two.
constexpr void merge_neighbours(const program_view& rows, const order_keys& keys, int width,
                                const int* from, int* to) {
  for (int device = 0; device < rows.devices; device += 2 * width) {
    const int middle = device + width < rows.devices ? device + width : rows.devices;
    const int end = middle + width < rows.devices ? middle + width : rows.devices;
    merge(keys, from, rows.row_begin.data()[device], rows.row_begin.data()[middle],
          rows.row_begin.data()[end], to);
  }
}

/// The places of actions in the order in which they ran: [actions].
constexpr void enter_ranks(const int* order, int count, int* rank) {
  for (int i = 0; i < count; ++i) {
    rank[order[i]] = i;
  }
}

/// The actions in the order of the rows, each of which is sorted already.
constexpr void enter_rows(int count, int* to) {
  for (int i = 0; i < count; ++i) {
    to[i] = i;
  }
}

}  // namespace projection

/// One order of all actions in which nothing comes before what it waits for: by start, and where
/// actions start together in the order in which the proof ran them. Action indices; the program
/// must have been proven with these slots. It suits one worker, and parts of it suit several.
constexpr list<int> global_order(const program_view& rows, const stage_graph_view& graph,
                                 list_view<int> slots_per_edge) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, steps, waits, slots, duration});
  run.advance();
  const int count = static_cast<int>(rows.actions.size());
  list<int> rank(rows.actions.size());
  list<int> order(rows.actions.size());
  list<int> merged(rows.actions.size());
  projection::enter_ranks(run.orders(), count, rank.data());
  projection::enter_rows(count, order.data());
  const projection::order_keys keys = {run.starts() + 1, rank.data()};
  for (int width = 1; width < rows.devices; width *= 2) {
    projection::merge_neighbours(rows, keys, width, order.data(), merged.data());
    std::swap(order, merged);
  }
  return order;
}

/// The rows of workers, each doing the actions of its devices in the global order. Rows that are
/// parts of one legal order cannot deadlock, for any number of workers and any assignment; waits
/// for actions of other devices stay sufficient.
/// A program with replicas has as many devices for each; they take turns action by action.
constexpr worker_rows project(const program_view& rows, list_view<int> order, int workers,
                              list_view<int> worker_of_device) {
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
