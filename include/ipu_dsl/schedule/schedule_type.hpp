// SPDX-License-Identifier: MIT
// What a schedule has to have, and what most of them share.
#pragma once

#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/schedule/rotation.hpp>
#include <ipu_dsl/schedule/schedule_rules.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>
#include <ipu_dsl/schedule/way_out.hpp>

namespace ipu_dsl {

/// A schedule is a type with a name, a rule for the counts it takes, and a generator for training
/// and one for inference. One's own is equal to the library's; the proof judges both.
template <typename Schedule>
concept schedule_type = requires(int count, purpose aim) {
  { Schedule::name } -> std::convertible_to<std::string_view>;
  { Schedule::allows(count, count, count, aim) } -> std::same_as<problem>;
  { Schedule::make(count, count, count) } -> std::same_as<program>;
  { Schedule::make_forward(count, count, count) } -> std::same_as<program>;
};

/// Whether a compiler can ask a schedule what it allows.
template <typename Schedule>
concept asked_while_compiling = schedule_type<Schedule> && requires {
  typename std::bool_constant<(Schedule::allows(1, 1, 1, purpose::training), true)>;
};

/// What is wrong with one that it cannot ask.
template <schedule_type Schedule>
struct not_asked_fault_of {
  static constexpr problem find() {
    problem found = refuse("static constexpr problem allows(...) that a compiler can call",
                           label("that of ") << type_name<Schedule>(),
                           "it is not constexpr, throws, or calls something that is not");
    found.where = "a schedule";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with one whose make or make_forward a compiler cannot call: told when code is
/// made, because most often there is a mistake in it that the compiler tells first.
template <schedule_type Schedule>
struct not_made_fault_of {
  static constexpr problem find() {
    if (false) {
      static_cast<void>(late::schedule_not_constant<Schedule>);
    }
    problem found = refuse("a schedule that the compiler can run", "one that it can not");
    found.late = true;
    return found;
  }

  static constexpr problem value = find();
};

/// A schedule that looks at costs: `make_for(devices, micro_batches, graph)` takes the place of
/// `make` where the stages of `graph` and their costs are known.
template <typename Schedule>
concept costed_schedule = schedule_type<Schedule> && requires(int count, stage_graph_view graph) {
  { Schedule::make_for(count, count, graph) } -> std::same_as<program>;
};

/// How many devices a schedule wants for a number of stages if nobody says: one a stage, or what
/// its `devices_for(stages)` says.
template <schedule_type Schedule>
constexpr int default_devices(int stages) {
  if constexpr (requires { Schedule::devices_for(stages); }) {
    return Schedule::devices_for(stages);
  } else {
    return stages;
  }
}

/// Why a schedule does not allow these counts, with its name if it says none.
template <schedule_type Schedule>
constexpr problem refuse_disallowed_counts(int devices, int stages, int micro_batches,
                                           purpose aim) {
  problem found = Schedule::allows(devices, stages, micro_batches, aim);
  if (found.found() && found.where.empty()) {
    found.where << "schedule " << Schedule::name;
  }
  return found;
}

/// What is wrong with a program that is of other counts than its schedule was asked for: a proof of
/// it says nothing of those. Of several copies of the weights each has its share of micro-batches.
constexpr problem refuse_other_counts(const program_view& rows, std::string_view schedule,
                                      int devices, int stages, int micro_batches) {
  problem found = rules::problem_of_schedule(schedule);
  if (rows.devices != devices) {
    found.expected << "rows of " << how_many(devices, "device");
    found.got << rows.devices;
    found.hint =
        "make is told how many there are; end_training_row(device) ends the row of each, in "
        "make_forward end_row()";
    return found;
  }
  if (rows.stages != stages) {
    found.expected << "rows of " << how_many(stages, "stage");
    found.got << rows.stages;
    found.hint = "program(devices, placement, micro_batches) takes the device of each stage";
    return found;
  }
  if (rows.micro_batches * rows.weights.copies != micro_batches) {
    found.expected << "rows of " << how_many(micro_batches, "micro-batch");
    found.got << rows.micro_batches * rows.weights.copies;
    found.hint =
        "make and make_forward are told how many there are, and tell program(devices, placement, "
        "micro_batches)";
    return found;
  }
  return {};
}

/// What is wrong with what `make_forward` made: it has every forward once, and nothing else. In
/// which order they can be done is a matter of the proof.
constexpr problem refuse_other_forwards(const program_view& rows, std::string_view schedule) {
  problem found = rules::problem_of_schedule(schedule);
  found.expected << "every forward once in make_forward, and nothing else";
  found.hint = "make_forward is for evaluate and predict";
  list<int> done(static_cast<std::size_t>(rows.stages * rows.micro_batches), 0);
  for (const action& what : rows.actions) {
    const bool right = what.kind == action_kind::forward && what.stage >= 0 &&
                       what.stage < rows.stages && what.micro_batch >= 0 &&
                       what.micro_batch < rows.micro_batches;
    if (!right || ++done[what.stage * rows.micro_batches + what.micro_batch] > 1) {
      found.got << describe(what) << (right ? " again" : "");
      return found;
    }
  }
  for (int i = 0; i < rows.stages * rows.micro_batches; ++i) {
    if (done[i] == 0) {
      found.got << "none of micro-batch " << i % rows.micro_batches << " in stage "
                << i / rows.micro_batches;
      return found;
    }
  }
  return {};
}

/// What is wrong with a program for training that trains nothing, or with one for inference that
/// does not do all of its work: the proof takes forwards alone for a program of their own.
constexpr problem refuse_other_work(const program_view& rows, std::string_view schedule,
                                    purpose aim) {
  if (aim == purpose::inference) {
    return refuse_other_forwards(rows, schedule);
  }
  for (const action& what : rows.actions) {
    if (what.kind != action_kind::forward) {
      return {};
    }
  }
  problem found = rules::problem_of_schedule(schedule);
  found.expected << "forwards, backwards and updates in make";
  found.got << "forwards alone";
  found.hint = "make is for training, make_forward for evaluate and predict";
  return found;
}

/// What is wrong with the rows that a schedule made when it was asked for these counts.
constexpr problem refuse_other_rows(const program_view& rows, std::string_view schedule,
                                    int devices, int stages, int micro_batches, purpose aim) {
  const problem other = refuse_other_counts(rows, schedule, devices, stages, micro_batches);
  return other.found() ? other : refuse_other_work(rows, schedule, aim);
}

/// The program of a schedule for a purpose.
template <schedule_type Schedule>
constexpr program make_program(int devices, int stages, int micro_batches, purpose aim) {
  // Not one conditional expression: g++ 12 frees such a result twice during constant evaluation.
  if (aim == purpose::training) {
    return Schedule::make(devices, stages, micro_batches);
  }
  return Schedule::make_forward(devices, stages, micro_batches);
}

/// The same for stages whose costs are known.
template <schedule_type Schedule>
constexpr program make_program_for(int devices, int micro_batches, const stage_graph_view& graph,
                                   purpose aim) {
  if constexpr (costed_schedule<Schedule>) {
    if (aim == purpose::training) {
      return Schedule::make_for(devices, micro_batches, graph);
    }
  }
  return make_program<Schedule>(devices, graph.stages, micro_batches, aim);
}

/// A schedule that is written down row by row: study/text/written_schedule.hpp has it. Declared,
/// so that compilers do not take it for something else where that is not included.
template <typename Derived>
struct written_schedule;

/// What the schedules of the catalogue share. `Derived` brings
/// - `name`;
/// - `static constexpr problem fits(int devices, int stages, int micro_batches)`: the first of its
///   constraints that training breaks, naming the nearest legal values;
/// - `static constexpr list<int> place(int devices, int stages)`: the device of each stage;
/// - `static constexpr program make(int devices, int stages, int micro_batches)`;
/// - `static constexpr bool keeps_hints = true` if what `fits` says is about the type and no other
///   counts help; else the hint names the nearest counts that it takes.
template <typename Derived>
struct placed_schedule {
  /// The constraints of training; inference takes any number of micro-batches.
  static constexpr problem allows(int devices, int stages, int micro_batches, purpose aim) {
    const auto judge = [trains = aim == purpose::training](int p, int s, int m) {
      const problem found = rules::counts(Derived::name, p, s, m);
      return found.found() ? found : Derived::fits(p, s, trains ? m : -1);
    };
    if constexpr (requires { Derived::keeps_hints; }) {
      if (Derived::keeps_hints) {
        return judge(devices, stages, micro_batches);
      }
    }
    return rules::with_way_out(judge, devices, stages, micro_batches);
  }

  /// Evaluate and predict: every stage forward in each time slot, on the devices of training.
  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return rotate(devices, Derived::place(devices, stages), micro_batches, overlap::all,
                  purpose::inference);
  }
};

}  // namespace ipu_dsl
