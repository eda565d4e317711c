// SPDX-License-Identifier: MIT
// The proof that a program does all of its work, in a legal order, and never waits forever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>
#include <ipu_dsl/schedule/joined_step.hpp>
#include <ipu_dsl/schedule/row_checks.hpp>

namespace ipu_dsl {

namespace proof {

/// The most that a cost may be: below it nothing that is summed over all actions, backwards being
/// of two costs and each behind a hop, leaves 64 bits.
constexpr std::int64_t most_cost(const program_view& rows) {
  return (std::int64_t{1} << 60) / (static_cast<std::int64_t>(rows.actions.size()) + 1);
}

/// Whether this is a cost: from 0 on, what is negative being more than any as it is read here.
constexpr bool is_cost(std::int64_t cost, std::uint64_t most) {
  return static_cast<std::uint64_t>(cost) <= most;
}

/// The first stage that costs less than nothing or more than `most`, or -1.
constexpr int find_no_cost(const stage_graph_view& graph, std::int64_t most) {
  const auto limit = static_cast<std::uint64_t>(most);
  for (std::size_t stage = 0; stage < graph.costs.size(); ++stage) {
    const stage_cost& cost = graph.costs[stage];
    if (!is_cost(cost.forward, limit) || !is_cost(cost.input_gradient, limit) ||
        !is_cost(cost.weight_gradient, limit) || !is_cost(cost.update, limit) ||
        !is_cost(cost.offload, limit)) {
      return static_cast<int>(stage);
    }
  }
  return -1;
}

/// Whether one of a stage's costs is below 0.
constexpr bool is_negative(const stage_cost& cost) {
  return cost.forward < 0 || cost.input_gradient < 0 || cost.weight_gradient < 0 ||
         cost.update < 0 || cost.offload < 0;
}

/// Whether counts do not fit each other.
constexpr bool malformed(const program_view& rows, const stage_graph_view& graph,
                         list_view<int> slots) {
  const std::size_t stages = static_cast<std::size_t>(rows.stages);
  bool wrong = rows.devices < 1 || rows.stages < 1 || rows.micro_batches < 1 ||
               rows.device_of_stage.size() != stages || graph.stages != rows.stages ||
               graph.costs.size() != stages ||
               rows.row_begin.size() != static_cast<std::size_t>(rows.devices) + 1 ||
               (!slots.empty() && slots.size() != graph.edges.size()) ||
               (!rows.slot.empty() && rows.slot.size() != rows.actions.size()) ||
               rows.weights.copies < 1 || rows.stages % rows.weights.copies != 0 ||
               rows.weights.update_interval < 0 || rows.weights.delay < weight_policy::newest ||
               !is_cost(graph.hop, static_cast<std::uint64_t>(most_cost(rows)));
  for (std::size_t device = 0; !wrong && device + 1 < rows.row_begin.size(); ++device) {
    wrong = rows.row_begin[device] > rows.row_begin[device + 1];
  }
  wrong = wrong || rows.row_begin[0] != 0 ||
          rows.row_begin[rows.row_begin.size() - 1] != static_cast<int>(rows.actions.size());
  wrong = wrong || find_no_cost(graph, most_cost(rows)) >= 0;
  for (const int slot_count : slots) {
    wrong = wrong || slot_count < 1;
  }
  return wrong;
}

/// The words of counts that do not fit each other.
constexpr verdict explain_malformed(const program_view& rows, const stage_graph_view& graph,
                                    std::size_t slot_counts, std::string_view name) {
  verdict found;
  found.kind = schedule_fault::malformed;
  found.fault.where << "schedule " << name;
  const std::int64_t most = most_cost(rows);
  const int stage = find_no_cost(graph, most);
  if (stage >= 0 || !is_cost(graph.hop, static_cast<std::uint64_t>(most))) {
    const bool negative = stage >= 0 ? is_negative(graph.costs[stage]) : graph.hop < 0;
    if (negative) {
      found.fault.expected << "costs of at least 0";
    } else {
      found.fault.expected << "costs of at most " << most << " with "
                           << how_many(rows.actions.size(), "action");
    }
    found.fault.got << (negative ? "less " : "more ");
    if (stage >= 0) {
      found.fault.got << "in stage " << stage;
    } else {
      found.fault.got << "for a hop";
    }
    return found;
  }
  if (graph.stages != rows.stages && rows.stages > 0) {
    found.fault.expected << "costs of " << how_many(rows.stages, "stage")
                         << ", as the rows have them";
    found.fault.got << "those of " << graph.stages;
    return found;
  }
  found.fault.expected = "rows, placement, costs, weights and slots that fit each other";
  found.fault.got << how_many(rows.devices, "device") << ", " << how_many(rows.stages, "stage")
                  << ", " << how_many(rows.micro_batches, "micro-batch") << " and "
                  << how_many(slot_counts, "slot count");
  found.fault.hint =
      "every device needs a row (end_row or end_training_row ends it), every edge a slot";
  return found;
}

/// Whether a slot is freed only at the end of the step that writes it: of actions counted from 1,
/// the reader before the writer.
constexpr bool frees_in_step(const program_view& rows, int reader, int writer) {
  return reader > 0 && rows.actions.data()[writer - 2].joined &&
         joined_with(rows, writer - 1).contains(reader - 1);
}

/// A slot of an edge within a device that would be overwritten before it has been read; actions are
/// counted from 1, and a writer of 0 is none.
struct overwritten_slot {
  int link = 0;
  int writer = 0;
  int reader = 0;
};

/// Edges within a device: the row reads the previous tenant of a slot before it writes the next.
/// The first that does not, of the edges in a range.
constexpr overwritten_slot find_overwritten(const run_input& input, edge_range range = {}) {
  const int micro_batches = input.rows.micro_batches;
  const dependences& waits = input.waits;
  const int* const by_micro_batch = input.steps.by_micro_batch.data();
  const int* const by_order = input.steps.by_order.data();
  const int edges = static_cast<int>(waits.within.size());
  const int end = edges < range.end ? edges : range.end;
  for (int link = range.begin; link < end; ++link) {
    if (!waits.within[link]) {
      continue;
    }
    const int writer_row = waits.writer[link] * micro_batches;
    const int depth = input.slots[link];
    for (int write = depth; write < micro_batches; ++write) {
      for (int k = waits.freed.first[link]; k != 0; k = waits.freed.next.data()[k]) {
        const int reader_row = waits.freed.value.data()[k] * micro_batches;
        const int reader = by_micro_batch[reader_row + by_order[writer_row + write - depth]];
        const int writer = by_micro_batch[writer_row + by_order[writer_row + write]];
        if (reader > writer || frees_in_step(input.rows, reader, writer)) {
          return {link, writer, reader};
        }
      }
    }
  }
  return {};
}

/// The same as what is found of a program.
constexpr verdict check_own_slots(const examination& exam, const run_input& input) {
  const overwritten_slot lost = find_overwritten(input);
  return lost.writer == 0 ? verdict()
                          : explain_own_slot(exam, lost.link, input.slots[lost.link],
                                             lost.writer - 1, lost.reader - 1);
}

/// Proves a program; of a program that is proven, `then(input, run)` gets the run that proved it.
template <typename Then>
constexpr verdict prove_and(const program_view& rows, const stage_graph_view& graph,
                            list_view<int> slots_per_edge, std::string_view name,
                            const proof_limits& limits, Then then) {
  if (malformed(rows, graph, slots_per_edge)) {
    return explain_malformed(rows, graph, slots_per_edge.size(), name);
  }
  if (is_sparse(rows.actions.size(), rows.stages, rows.micro_batches)) {
    return explain_sparse(rows, name);
  }
  examination exam = begin_examination(rows, graph, name);
  verdict found = check_standing(exam, limits);
  if (!found.proven()) {
    return found;
  }
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const dependences waits = sort_edges(graph, rows.device_of_stage, exam.forward_only);
  const list<std::int64_t> duration = durations(graph);
  const run_input input = {rows, exam.steps, waits, slots, duration};
  found = check_own_slots(exam, input);
  if (!found.proven()) {
    return found;
  }
  in_order_run run(input);
  run.advance();
  if (!run.complete()) {
    return explain_deadlock(exam, input, run);
  }
  then(input, run);
  return found;
}

}  // namespace proof

/// Proves a program against the edges of its stages. It is complete (every forward once, every
/// backward once, whole or in halves, every update once after the backwards that it takes), in
/// place, in order, no device keeps more than `limits` say, and no device waits forever, neither
/// for data nor for a slot whose previous tenant is still to be read. A program of forwards alone
/// needs nothing else.
///
/// `slots_per_edge` is [edges], or empty for as many as micro-batches; the k-th write of an edge
/// goes to slot k modulo their number. Cost: one constant evaluation proves 2,048 stages x
/// micro-batches of every schedule of the catalogue within the default limits of both compilers;
/// `study` does more in pieces.
constexpr verdict prove(const program_view& rows, const stage_graph_view& graph,
                        list_view<int> slots_per_edge = {}, std::string_view name = "mine",
                        const proof_limits& limits = {}) {
  return proof::prove_and(rows, graph, slots_per_edge, name, limits,
                          [](const run_input&, const in_order_run&) {});
}

}  // namespace ipu_dsl
