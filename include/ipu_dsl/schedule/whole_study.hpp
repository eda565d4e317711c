// SPDX-License-Identifier: MIT
// A study of a schedule in one constant evaluation for each of its parts, which is the quickest way
// for small ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
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

/// The most stages x micro-batches of which one constant evaluation makes a program with the
/// default limits of both compilers: what a schedule says as `most_made_at_once`, or what not even
/// the simplest makes.
template <schedule_type Schedule>
constexpr std::int64_t most_made_at_once() {
  if constexpr (requires { Schedule::most_made_at_once; }) {
    return Schedule::most_made_at_once;
  } else {
    return 32768;
  }
}

/// The same of a schedule that makes a large program in several evaluations: its
/// `most_made_in_pieces`, or any number.
template <schedule_type Schedule>
constexpr std::int64_t most_made_in_pieces() {
  if constexpr (requires { Schedule::most_made_in_pieces; }) {
    return Schedule::most_made_in_pieces;
  } else {
    return std::int64_t{1} << 40;
  }
}

/// Why a schedule is not studied with these counts: because it does not allow them, or because no
/// compiler makes more than `most` stages x micro-batches without a flag.
template <schedule_type Schedule>
constexpr problem allow_up_to(std::int64_t most, int devices, int stages, int micro_batches) {
  problem found =
      refuse_disallowed_counts<Schedule>(devices, stages, micro_batches, purpose::training);
  if (!found.found() && static_cast<std::int64_t>(stages) * micro_batches > most) {
    found = rules::problem_of_schedule(Schedule::name);
    found.expected << "at most " << most << " stages x micro-batches while compiling";
    found.got << stages << " x " << micro_batches;
    found.hint =
        "make and analyse it when the program runs; of a schedule with a make_row "
        "large_study makes each row by itself";
  }
  return found;
}

template <schedule_type Schedule>
constexpr problem allow_at_once(int devices, int stages, int micro_batches) {
  return allow_up_to<Schedule>(most_made_at_once<Schedule>(), devices, stages, micro_batches);
}

/// The program of a schedule, or an empty one where the schedule does not allow the counts.
template <schedule_type Schedule, typename Costs>
constexpr program generate(int devices, int stages, int micro_batches) {
  program rows;
  if (!allow_at_once<Schedule>(devices, stages, micro_batches).found()) {
    const stage_graph graph = Costs::make(stages, 1);
    rows = make_program_for<Schedule>(devices, micro_batches, graph.view(), purpose::training);
  } else {
    rows.row_begin.push_back(0);
  }
  return rows;
}

/// The rows of a schedule that makes them all together.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches, typename Costs>
struct rows_at_once {
 private:
  static consteval auto make() {
    constexpr program_sizes sizes =
        sizes_of(studying::generate<Schedule, Costs>(Devices, Stages, MicroBatches));
    return freeze_program<sizes>(
        studying::generate<Schedule, Costs>(Devices, Stages, MicroBatches));
  }

 public:
  static constexpr auto frozen = make();
};

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

/// What `study` is for a small schedule.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
struct whole_study {
 private:
  static constexpr const auto& frozen_rows =
      studying::rows_at_once<Schedule, Devices, Stages, MicroBatches, Costs>::frozen;

 public:
  static constexpr program_view rows = frozen_rows.view();

 private:
  static constexpr int copies = frozen_rows.weights.copies;
  static constexpr std::size_t edges = Costs::make(Stages, copies).edges.size();
  using frozen_result = studying::frozen_analysis<rows.actions.size(), edges>;

  static consteval frozen_result make_result() {
    const problem refused = studying::allow_at_once<Schedule>(Devices, Stages, MicroBatches);
    if (refused.found()) {
      return frozen_result(refused);
    }
    const problem other = refuse_other_rows(frozen_rows.view(), Schedule::name, Devices, Stages,
                                            MicroBatches, purpose::training);
    if (other.found()) {
      return frozen_result(other);
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

  /// [edges] of the costs' stage graph.
  static constexpr list_view<int> slots =
      result.fault.found() ? list_view<int>() : result.slots.view();

  /// [actions] asynchronous start and end, in the unit of the costs.
  static constexpr list_view<timed_action> timeline =
      result.fault.found() ? list_view<timed_action>() : result.timeline.view();

  /// Of the timeline; all 0 where there is a fault.
  static constexpr ipu_dsl::facts facts = make_facts();
};

}  // namespace ipu_dsl
