// SPDX-License-Identifier: MIT
// A schedule for given counts and costs, generated, proven and timed by the compiler.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/schedule/large_study.hpp>
#include <ipu_dsl/schedule/whole_study.hpp>

namespace ipu_dsl {

namespace studying {

/// Whether a program is too large for one constant evaluation of a default compiler, which makes,
/// proves or times at least so many of every schedule.
template <schedule_type Schedule>
constexpr bool takes_pieces(int stages, int micro_batches) {
  constexpr std::int64_t proven = 2048;
  constexpr std::int64_t made = most_made_at_once<Schedule>();
  return static_cast<std::int64_t>(stages) * micro_batches > (made < proven ? made : proven);
}

/// Whether a compiler can ask a type for the costs of so many stages.
template <typename Costs, int Stages>
concept costs_of_study = requires(int count) {
  { Costs::make(count, count) } -> std::same_as<stage_graph>;
} && requires { typename std::bool_constant<(Costs::make(Stages, 1), true)>; };

/// What is wrong with costs that cannot be asked.
template <typename Costs, int Stages>
struct costs_fault_of {
  static constexpr problem find() {
    problem found = refuse("static constexpr stage_graph make(int stages, int copies) of the costs",
                           label() << type_name<Costs>());
    found.where = "study";
    if constexpr (requires(int count) {
                    { Costs::make(count, count) } -> std::same_as<stage_graph>;
                  }) {
      found.hint << "its make is not constexpr, or fails for " << how_many(Stages, "stage");
    } else {
      found.hint = "unit_costs of schedule/whole_study.hpp is such a type";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Whether a compiler can make the rows of a schedule, all together.
template <typename Schedule, int Devices, int Stages, int MicroBatches, typename Costs>
concept made_while_compiling = requires {
  typename std::bool_constant<(generate<Schedule, Costs>(Devices, Stages, MicroBatches), true)>;
};

/// In place of a study that cannot be made: makes the error, and has nothing else.
template <typename Fault>
struct unstudied {
  static_assert(diagnose<Fault>());
  static constexpr problem fault = Fault::value;
  static constexpr problem value = {};
  static constexpr list_view<int> slots = {};
  static constexpr list_view<timed_action> timeline = {};
  static constexpr ipu_dsl::facts facts = {};
};

/// A study with these costs, if they and the schedule can be asked.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches, typename Costs>
constexpr auto choose_study() {
  if constexpr (!costs_of_study<Costs, Stages>) {
    return std::type_identity<unstudied<costs_fault_of<Costs, Stages>>>();
  } else if constexpr (takes_pieces<Schedule>(Stages, MicroBatches)) {
    return std::type_identity<large_study<Schedule, Devices, Stages, MicroBatches, Costs>>();
  } else if constexpr (made_while_compiling<Schedule, Devices, Stages, MicroBatches, Costs>) {
    return std::type_identity<whole_study<Schedule, Devices, Stages, MicroBatches, Costs>>();
  } else {
    return std::type_identity<unstudied<not_made_fault_of<Schedule>>>();
  }
}

}  // namespace studying

/// A schedule, studied without a model: its program, as many slots as delay nothing, its timeline
/// and its facts, for devices that wait for nothing but data and slots. Where there is a `fault`,
/// counts that the schedule does not allow or what the proof found, nothing is left but the rows
/// (of counts that it allows), for whoever wants to see what is wrong.
///
/// `static_assert(study<one_f_one_b, 4, 4, 8>::facts.makespan == 33);`
/// Small schedules are studied in one constant evaluation for each part, larger ones in pieces
/// (`large_study`), so that 16 devices x 256 micro-batches of every schedule of the catalogue stay
/// below the default limits of both compilers, but for `zero_bubble_list`, which refuses more than
/// 2,048 stages x micro-batches.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
struct study
    : decltype(studying::choose_study<Schedule, Devices, Stages, MicroBatches, Costs>())::type {};

/// Makes one compile error with one sentence if a schedule does not allow these counts or is not
/// proven; always true. `static_assert(check_schedule<mine, 2, 2, 4>());`
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
constexpr bool check_schedule() {
  if constexpr (!asked_while_compiling<Schedule>) {
    return diagnose<not_asked_fault_of<Schedule>>();
  } else if constexpr (studying::costs_of_study<Costs, Stages>) {
    return diagnose<study<Schedule, Devices, Stages, MicroBatches, Costs>>();
  } else {
    return diagnose<studying::costs_fault_of<Costs, Stages>>();
  }
}

}  // namespace ipu_dsl
