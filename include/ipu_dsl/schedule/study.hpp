// SPDX-License-Identifier: MIT
// A schedule for given counts and costs, generated, proven and timed by the compiler.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/schedule/analysis.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// The costs of a study if none are given: forward, input gradient and weight gradient one unit
/// each. Costs of one's own are a type with the same member.
struct unit_costs {
  static constexpr stage_graph make(int stages, int copies) {
    return chain_stage_graph(stages, stage_cost{}, output_use::forward_only, copies);
  }
};

namespace studying {

/// A program and its analysis, while the compiler evaluates.
struct studied {
  program rows;
  analysis result;
  problem fault;  ///< what the schedule does not allow, or what the proof found
  std::size_t edges = 0;
};

template <schedule_type Schedule, typename Costs>
constexpr studied study(int devices, int stages, int micro_batches) {
  studied made;
  made.fault = Schedule::allows(devices, stages, micro_batches, purpose::training);
  if (made.fault.found()) {
    return made;
  }
  // The copies are known when the program is made, and the program may want to see costs.
  const stage_graph plain = Costs::make(stages, 1);
  made.rows = make_program_for<Schedule>(devices, micro_batches, plain.view(), purpose::training);
  const stage_graph graph = Costs::make(stages, made.rows.weights.copies);
  made.edges = graph.edges.size();
  made.result = analyse(made.rows.view(), graph.view(), Schedule::name);
  made.fault = made.result.found.fault;
  return made;
}

/// What freezing needs to know, without a proof.
struct study_sizes {
  program_sizes rows;
  std::size_t edges = 0;
  std::size_t proven_actions = 0;
};

template <schedule_type Schedule, typename Costs>
constexpr study_sizes sizes_of_study(int devices, int stages, int micro_batches) {
  study_sizes sizes;
  if (!Schedule::allows(devices, stages, micro_batches, purpose::training).found()) {
    const stage_graph plain = Costs::make(stages, 1);
    const program rows =
        make_program_for<Schedule>(devices, micro_batches, plain.view(), purpose::training);
    sizes.rows = sizes_of(rows);
    sizes.edges = Costs::make(stages, rows.weights.copies).edges.size();
  }
  return sizes;
}

}  // namespace studying

}  // namespace ipu_dsl
