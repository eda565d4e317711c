// SPDX-License-Identifier: MIT
// What a schedule is proven against: what stages hand to each other, and what their work costs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/step_order.hpp>

namespace ipu_dsl {

/// Bytes that live in a slot from the action that writes them to the last action that reads them,
/// writer and readers being of the same micro-batch. Any number of actions read them: they stand
/// one after the other in the stage graph.
///
/// `backward` stands for whichever form the program uses: as a writer the whole backward or the
/// input gradient; as a reader the whole backward or both halves, so that the weight gradient frees
/// the slot. A program without any backward ignores the steps it does not do.
struct edge {
  step writer;
  int first_reader = 0;  ///< in the readers of its stage graph
  int reader_count = 0;
  std::int64_t bytes = 0;  ///< of one slot
};

/// What one micro-batch costs a stage, in any unit of time; `update` is a cost of each update.
struct stage_cost {
  std::int64_t forward = 1;
  std::int64_t input_gradient = 1;
  std::int64_t weight_gradient = 1;
  std::int64_t update = 0;
  std::int64_t offload = 0;      ///< and as much for the fetch
  std::int64_t stash_bytes = 0;  ///< kept from the forward to the end of the backward

  /// A whole backward is both gradients; recomputing is a forward again.
  constexpr std::int64_t of(action_kind kind) const {
    switch (kind) {
      case action_kind::forward:
      case action_kind::recompute:
        return forward;
      case action_kind::backward:
        return input_gradient + weight_gradient;
      case action_kind::input_gradient:
        return input_gradient;
      case action_kind::weight_gradient:
        return weight_gradient;
      case action_kind::update:
        return update;
      case action_kind::offload:
      case action_kind::fetch:
        return offload;
    }
    return 0;
  }
};

/// A stage graph seen through spans.
struct stage_graph_view {
  int stages = 0;
  list_view<edge> edges;
  list_view<step> readers;      ///< of all edges
  list_view<stage_cost> costs;  ///< [stages]
  std::int64_t hop = 0;         ///< time from one device to another, of each datum

  constexpr list_view<step> readers_of(const edge& link) const {
    return {readers.data() + link.first_reader, link.reader_count};
  }
};

/// A stage graph that owns its edges and costs.
struct stage_graph {
  int stages = 0;
  list<edge> edges;
  list<step> readers;      ///< of all edges
  list<stage_cost> costs;  ///< [stages]
  std::int64_t hop = 0;    ///< time from one device to another, of each datum

  constexpr stage_graph_view view() const { return {stages, edges, readers, costs, hop}; }

  /// An edge without readers yet: `graph.add_edge({0, forward}).read_by(1, forward)`.
  constexpr stage_graph& add_edge(const step& writer, std::int64_t bytes = 0) {
    edges.push_back(
        {.writer = writer, .first_reader = static_cast<int>(readers.size()), .bytes = bytes});
    return *this;
  }

  /// One more reader of the newest edge.
  constexpr stage_graph& read_by(int stage, action_kind kind) {
    readers.push_back({stage, kind});
    ++edges.back().reader_count;
    return *this;
  }
};

/// A stage graph of one's own with what is seen.
constexpr stage_graph copy_of(const stage_graph_view& seen) {
  stage_graph graph;
  graph.stages = seen.stages;
  graph.edges.append(seen.edges);
  graph.readers.append(seen.readers);
  graph.costs.append(seen.costs);
  graph.hop = seen.hop;
  return graph;
}

/// Whether a stage's own backward reads the output that the stage hands on (the mask of a fused
/// activation), which keeps the slot of the output until then.
enum class output_use : std::uint8_t { forward_only, own_backward };

/// The plain pipeline. Edges in this order: the activation of stage s for s + 1, written by F(s),
/// read by F(s + 1), B(s + 1) and perhaps B(s); the gradient of s + 1 for s, written by B(s + 1),
/// read by B(s); the stash of s, written by F(s), read by B(s). Bytes are left at 0. With several
/// copies of the weights there are as many pipelines, one behind the other in the numbers of
/// stages.
constexpr stage_graph chain_stage_graph(int stages, list_view<stage_cost> costs,
                                        output_use use = output_use::forward_only, int copies = 1) {
  stage_graph graph;
  graph.stages = stages;
  // Exactly as many as there are: behind them a compiler finds no memory, and says so.
  graph.costs.reserve(costs.size());
  graph.costs.append(costs);
  const int length = stages / copies;
  for (int stage = 0; stage + 1 < stages; ++stage) {
    if ((stage + 1) % length == 0) {
      continue;
    }
    graph.add_edge({stage, action_kind::forward})
        .read_by(stage + 1, action_kind::forward)
        .read_by(stage + 1, action_kind::backward);
    if (use == output_use::own_backward) {
      graph.read_by(stage, action_kind::backward);
    }
  }
  for (int stage = 0; stage + 1 < stages; ++stage) {
    if ((stage + 1) % length == 0) {
      continue;
    }
    graph.add_edge({stage + 1, action_kind::backward}).read_by(stage, action_kind::backward);
  }
  for (int stage = 0; stage < stages; ++stage) {
    graph.add_edge({stage, action_kind::forward}).read_by(stage, action_kind::backward);
  }
  return graph;
}

/// The plain pipeline with the same cost in every stage.
constexpr stage_graph chain_stage_graph(int stages, const stage_cost& cost = {},
                                        output_use use = output_use::forward_only, int copies = 1) {
  const list<stage_cost> costs(stages, cost);
  return chain_stage_graph(stages, costs, use, copies);
}

}  // namespace ipu_dsl
