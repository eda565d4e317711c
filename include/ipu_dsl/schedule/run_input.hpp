// SPDX-License-Identifier: MIT
// What a run of a program reads: its tables, its slots and its durations.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/dependences.hpp>

namespace ipu_dsl {

/// A part of the edges, so that what is long can be cut into several constant evaluations.
struct edge_range {
  int begin = 0;
  int end = 1 << 30;

  constexpr bool contains(int link) const { return link >= begin && link < end; }
};

/// What each kind of action of each stage takes: [stages x action_kinds].
constexpr list<std::int64_t> durations(const stage_graph_view& graph) {
  list<std::int64_t> duration;
  for (const stage_cost& cost : graph.costs) {
    for (int kind = 0; kind < action_kinds; ++kind) {
      duration.push_back(cost.of(static_cast<action_kind>(kind)));
    }
  }
  return duration;
}

/// As many slots on every edge as there are micro-batches: no write ever waits.
constexpr list<int> unbounded_slots(const program_view& rows, const stage_graph_view& graph) {
  return list<int>(graph.edges.size(), rows.micro_batches);
}

/// The slots given, or unbounded ones if none are.
constexpr list<int> slots_or_unbounded(const program_view& rows, const stage_graph_view& graph,
                                       list_view<int> slots_per_edge) {
  list<int> slots = unbounded_slots(rows, graph);
  for (std::size_t link = 0; link < slots_per_edge.size(); ++link) {
    slots[link] = slots_per_edge[link];
  }
  return slots;
}

/// What a run reads. All of it must outlive the run.
struct run_input {
  const program_view& rows;
  const step_table& steps;
  const dependences& waits;
  list_view<int> slots;              ///< [edges], each at least 1
  list_view<std::int64_t> duration;  ///< [stages x action_kinds]
};

}  // namespace ipu_dsl
