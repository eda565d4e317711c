// SPDX-License-Identifier: MIT
// A schedule for given counts and costs, generated, proven and timed by the compiler.
#pragma once

#include <cstddef>
#include <span>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/schedule/analysis.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// The costs of a study if none are given: forward, input gradient and weight gradient one unit
/// each, no hop. Costs of one's own are a type with the same member.
struct unit_costs {
  static constexpr stage_graph make(int stages, int copies) {
    return chain_stage_graph(stages, stage_cost{}, output_use::forward_only, copies);
  }
};

namespace studying {

/// The program of a schedule, or an empty one where the schedule does not allow the counts.
template <schedule_type Schedule, typename Costs>
constexpr program generate(int devices, int stages, int micro_batches) {
  program rows;
  if (!Schedule::allows(devices, stages, micro_batches, purpose::training).found()) {
    const stage_graph graph = Costs::make(stages, 1);
    rows = make_program_for<Schedule>(devices, micro_batches, graph.view(), purpose::training);
  } else {
    rows.row_begin.push_back(0);
  }
  return rows;
}

/// An analysis in static storage.
template <std::size_t Actions, std::size_t Edges>
struct frozen_analysis {
  problem fault;
  frozen_list<int, Edges> slots;
  frozen_list<timed_action, Actions> timeline;

  /// Nothing but a fault.
  constexpr explicit frozen_analysis(const problem& found) : fault(found) {}

  constexpr explicit frozen_analysis(const analysis& made)
      : slots(freeze_list<Edges>(made.slots)), timeline(freeze_list<Actions>(made.timeline)) {}
};

}  // namespace studying

/// A schedule, studied without a model: its program, as many slots as delay nothing, its timeline
/// and its facts, for devices that wait for nothing but data and slots. Where there is a `fault`,
/// counts that the schedule does not allow or what the proof found, nothing is left but the rows
/// (of counts that it allows), for whoever wants to see what is wrong.
///
/// `static_assert(study<one_f_one_b, 4, 4, 8>::facts.makespan == 33);`
/// A program of 16 devices x 256 micro-batches stays below the default limits of both compilers.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
struct study {
 private:
  static consteval auto make_rows() {
    constexpr program_sizes sizes =
        sizes_of(studying::generate<Schedule, Costs>(Devices, Stages, MicroBatches));
    return freeze_program<sizes>(
        studying::generate<Schedule, Costs>(Devices, Stages, MicroBatches));
  }

  static constexpr auto frozen_rows = make_rows();
  static constexpr int copies = frozen_rows.weights.copies;
  static constexpr std::size_t edges = Costs::make(Stages, copies).edges.size();
  using frozen_result = studying::frozen_analysis<decltype(frozen_rows.actions)::size(), edges>;

  static consteval frozen_result make_result() {
    const problem refused = Schedule::allows(Devices, Stages, MicroBatches, purpose::training);
    if (refused.found()) {
      return frozen_result(refused);
    }
    const stage_graph graph = Costs::make(Stages, copies);
    const analysis made = analyse(frozen_rows.view(), graph.view(), Schedule::name);
    if (!made.found.proven()) {
      return frozen_result(made.found.fault);
    }
    return frozen_result(made);
  }

  static constexpr frozen_result result = make_result();

  // In an evaluation of its own, which keeps the one above within the limits.
  static constexpr ipu_dsl::facts make_facts() {
    return result.fault.found() ? ipu_dsl::facts()
                                : facts_of(frozen_rows.view(), result.timeline.view());
  }

 public:
  /// What is wrong, or nothing: ask `fault.found()`. `value` is the same for `diagnose`.
  static constexpr const problem& fault = result.fault;
  static constexpr const problem& value = result.fault;

  static constexpr program_view rows = frozen_rows.view();

  /// [edges] of the costs' stage graph.
  static constexpr std::span<const int> slots =
      result.fault.found() ? std::span<const int>() : result.slots.view();

  /// [actions] asynchronous start and end, in the unit of the costs.
  static constexpr std::span<const timed_action> timeline =
      result.fault.found() ? std::span<const timed_action>() : result.timeline.view();

  /// Of the timeline; all 0 where there is a fault.
  static constexpr ipu_dsl::facts facts = make_facts();
};

/// Makes one compile error with one sentence if a schedule does not allow these counts or is not
/// proven; always true. `static_assert(check_schedule<mine, 2, 2, 4>());`
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
constexpr bool check_schedule() {
  return diagnose<study<Schedule, Devices, Stages, MicroBatches, Costs>>();
}

}  // namespace ipu_dsl
