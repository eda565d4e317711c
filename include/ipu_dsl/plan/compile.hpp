// SPDX-License-Identifier: MIT
// A compiled model, checked, with the modelled facts of its training.
// Over 300 lines: the order in which mistakes are looked for, in one place.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/access_fault.hpp>
#include <ipu_dsl/plan/planned_programs.hpp>
#include <ipu_dsl/plan/program_limit.hpp>
#include <ipu_dsl/plan/tile_memory.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The homes of some buffers of a program on the tiles of its target: a piece of constant
/// evaluation.
template <compiled_model C, program_kind Kind>
struct homes_on_tiles {
  static constexpr std::size_t count = calls_of<C, Kind>().buffers.size();

  template <std::size_t First, std::size_t Count>
  static constexpr frozen_list<std::int64_t, Count> piece = home_bytes_of<Count>(
      calls_of<C, Kind>().buffers, First, C::settings.micro_batch, C::settings.target->tiles);
};

/// What the calls of a program copy to a tile of its target: a piece of constant evaluation.
template <compiled_model C, program_kind Kind>
struct copies_on_tiles {
  static constexpr std::size_t count = calls_of<C, Kind>().calls.size();

  template <std::size_t First, std::size_t Count>
  static constexpr frozen_list<std::int64_t, Count> piece = copied_bytes_of<Count>(
      calls_with_accesses_of<C, Kind>(), First, C::settings.micro_batch, C::settings.target->tiles);
};

/// All pieces, one behind the other: in one evaluation they would exceed the steps that clang
/// allows.
template <typename Pieces>
constexpr frozen_list<std::int64_t, Pieces::count> join_pieces() {
  constexpr std::size_t size = 512;
  constexpr std::size_t whole = Pieces::count / size;
  frozen_list<std::int64_t, Pieces::count> joined;
  std::size_t end = 0;
  const auto append = [&](list_view<std::int64_t> bytes) {
    for (const std::int64_t each : bytes) {
      joined.elements[end] = each;
      ++end;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (append(Pieces::template piece<I * size, size>.view()), ...);
  }(std::make_index_sequence<whole>());
  append(Pieces::template piece<whole * size, Pieces::count % size>.view());
  return joined;
}

/// What a program of a compiled model takes of the memory of its target, once it is proven.
template <compiled_model C, program_kind Kind>
struct modelled_memory {
  static constexpr std::size_t devices = static_cast<std::size_t>(C::settings.devices);
  static constexpr auto homes = join_pieces<homes_on_tiles<C, Kind>>();
  static constexpr auto copies = join_pieces<copies_on_tiles<C, Kind>>();

  static constexpr list<tile_use> count() {
    return tile_memory_model(planned_program_of<C, Kind>.plan.view(), calls_of<C, Kind>().buffers,
                             homes.view(), copies.view())
        .count();
  }

  static constexpr frozen_list<tile_use, devices> uses = freeze_list<devices>(count());
  static constexpr device_memory value{C::settings.target, uses.view(), C::settings.micro_batch};
};

/// What is wrong with the declared accesses of a program of a compiled model.
template <compiled_model C, program_kind Kind>
struct access_fault_of {
  static constexpr problem value =
      access_check(planned_graph_of<C>.view(), calls_with_accesses_of<C, Kind>(),
                   C::settings.micro_batch)
          .find();
};

/// What keeps the leading program of a compiled model from being planned: the first mistake in the
/// model, in the options, in what the schedule allows, in what families leave out, in the proof.
template <compiled_model C>
struct plan_fault_of {
  static constexpr problem find() {
    const problem& found = planned_graph_of<C>.fault;
    if (found.found()) {
      return found;
    }
    // Before its counts, whose hints would lead to the same.
    if constexpr (requires { C::schedule_type::weight_copies; }) {
      return refuse_copies(C::schedule_type::weight_copies, C::schedule_type::name);
    }
    const problem misasked = refuse_inference_micro_batches<C>();
    if (misasked.found()) {
      return misasked;
    }
    if (!C::settings.has_loss) {
      return refuse_large<C>(forward_micro_batches<C>(), purpose::inference);
    }
    const int micro_batches = C::settings.gradient_accumulation;
    const problem refused = refuse_disallowed_counts<typename C::schedule_type>(
        C::settings.devices, C::stages, micro_batches, purpose::training);
    return refused.found() ? refused : refuse_large<C>(micro_batches, purpose::training);
  }

  /// Of model, options and schedule.
  static constexpr problem before_plan = find();

  static constexpr problem prove() {
    if constexpr (before_plan.found()) {
      return before_plan;
    } else if constexpr (!lowered_by_compiler<C, leading_program<C>>) {
      return refuse_rules_late();
    } else if constexpr (!is_scheduled<C, leading_program<C>>() ||
                         !is_scheduled<C, program_kind::predict>()) {
      return not_made_fault_of<typename C::schedule_type>::value;
    } else {
      constexpr problem unlike = find_unlike();
      if constexpr (unlike.found()) {
        return unlike;
      } else {
        return planned_program_of<C, leading_program<C>>.fault;
      }
    }
  }

  /// Programs that are not those that the schedule was asked for, and what families leave out.
  static constexpr problem find_unlike() {
    problem found = other_rows_of<leading_program<C>>();
    if (!found.found() && C::settings.has_loss) {
      found = other_rows_of<program_kind::predict>();
    }
    return found.found() ? found : find_undefined();
  }

  template <program_kind Kind>
  static constexpr problem other_rows_of() {
    return refuse_other_rows(actions_of<C, Kind>, C::schedule_type::name, C::settings.devices,
                             C::stages, micro_batches_of<C, Kind>, purpose_of(Kind));
  }

  /// Most often there is a mistake in a rule that the compiler has told.
  static constexpr problem refuse_rules_late() {
    if (false) {
      static_cast<void>(late::rules_not_constant<typename C::model_type>);
    }
    problem found = refuse("rules of layers that the compiler can run", "one that it can not");
    found.late = true;
    return found;
  }

  /// What families leave out, in the program that asks most of them first.
  static constexpr problem find_undefined() {
    problem found;
    if constexpr (C::settings.has_loss) {
      found = definition_fault_of<C, program_kind::train>::value;
      if (!found.found()) {
        found = definition_fault_of<C, program_kind::evaluate>::value;
      }
    }
    return found.found() ? found : definition_fault_of<C, program_kind::predict>::value;
  }

  static constexpr problem value = prove();
};

/// Whether model, options and what the schedule allows are right; never an error. It is what a
/// source can know without the plan, which takes most of the time that a check does.
template <compiled_model C>
constexpr bool can_be_planned() {
  return !plan_fault_of<typename C::compiled>::before_plan.found();
}

/// The first mistake of a compiled model: in its plan, in the memory of the target, in what the
/// schedule's forward programs do otherwise.
template <compiled_model C>
struct compile_fault_of {
  static constexpr problem find() {
    constexpr problem before = plan_fault_of<C>::value;
    if constexpr (before.found()) {
      return before;
    } else {
      constexpr problem overflow = find_overflow();
      if constexpr (overflow.found() || !C::settings.has_loss) {
        return overflow;
      } else {
        return refuse_other_placement();
      }
    }
  }

  /// What is wrong on the tiles of a target: accesses that cannot be as they are declared, or more
  /// than the tiles hold.
  static constexpr problem find_overflow() {
    if constexpr (is_null(C::settings.target)) {
      return {};
    } else if constexpr (access_fault_of<C, leading_program<C>>::value.found()) {
      return access_fault_of<C, leading_program<C>>::value;
    } else {
      return modelled_memory<C, leading_program<C>>::value.fault();
    }
  }

  /// Parameters lie where training has them, so that the forward programs must agree.
  static constexpr problem refuse_other_placement() {
    const program_view forward = actions_of<C, program_kind::predict>;
    const list_view<int> trained = actions_of<C, program_kind::train>.device_of_stage;
    for (std::size_t stage = 0; stage < trained.size(); ++stage) {
      if (forward.device_of_stage[stage] != trained[stage]) {
        problem found = refuse(
            label("stage ") << stage << " on device " << trained[stage] << ", as in training",
            label("device ") << forward.device_of_stage[stage] << " in make_forward");
        found.where = label("schedule ") << C::schedule_type::name;
        return found;
      }
    }
    return {};
  }

  static constexpr problem value = find();
};

/// Whether model, options and schedule are right; never an error.
template <compiled_model C>
constexpr bool is_valid() {
  return !compile_fault_of<typename C::compiled>::value.found();
}

/// Makes one compile error with one sentence if something is wrong; always true.
template <compiled_model C>
constexpr bool(check)() {
  // A mistake of the model is the model's, so that it is reported once, however often it is
  // compiled.
  if constexpr (!ipu_dsl::is_valid<typename C::model_type>()) {
    return diagnose<fault_of<typename C::model_type>>();
  } else {
    return diagnose<compile_fault_of<typename C::compiled>>();
  }
}

/// The facts of training, in both modes.
template <compiled_model C>
struct training_timeline {
  static constexpr program_plan_view plan = planned_program_of<C, program_kind::train>.plan.view();

  static constexpr facts model() {
    if constexpr (is_proven_at_once<C, program_kind::train>) {
      return modelled_facts(plan);
    } else {
      return facts_of(plan.actions, large_proof<C, program_kind::train>::timeline());
    }
  }

  static constexpr facts model_lockstep() {
    if constexpr (is_proven_at_once<C, program_kind::train>) {
      return modelled_lockstep_facts(plan);
    } else {
      return facts_of(plan.actions, large_proof<C, program_kind::train>::lockstep_timeline());
    }
  }

  static constexpr facts asynchronous = model();
  static constexpr facts lockstep = model_lockstep();
};

/// A question about the training of what is not trained.
template <compiled_model C>
struct timeline_fault_of {
  static constexpr problem find() {
    problem found;
    if (!C::settings.has_loss) {
      found = refuse("loss<...> beside a question about the timeline of training", "none",
                     "without a loss a model predicts");
      found.where = "compile";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Whether there are facts of training; if there are none, what is wrong has been said.
template <compiled_model C>
constexpr bool has_timeline() {
  if constexpr (!plan_fault_of<C>::value.found()) {
    static_assert(diagnose<timeline_fault_of<C>>());
    return !timeline_fault_of<C>::value.found();
  } else {
    static_assert(check<C>());
    return false;
  }
}

/// See `compile::timeline`, which finds this and the following by its own type: plans depend on the
/// vector unit, and so stand in a namespace that `compile` does not know.
template <compiled_model C>
constexpr const facts& timeline_of(std::type_identity<C>) {
  if constexpr (has_timeline<C>()) {
    return training_timeline<C>::asynchronous;
  } else {
    return unlimited_facts;
  }
}

template <compiled_model C>
constexpr const facts& lockstep_timeline_of(std::type_identity<C>) {
  if constexpr (has_timeline<C>()) {
    return training_timeline<C>::lockstep;
  } else {
    return unlimited_facts;
  }
}

/// A question about the memory of a machine that was not named.
template <compiled_model C>
struct target_fault_of {
  static constexpr problem find() {
    problem found;
    if (is_null(C::settings.target)) {
      found = refuse("on<...> beside a question about memory", "none",
                     "memory is modelled for a target: ipu1, ipu2, bow or one of your own");
      found.where = "compile";
    }
    return found;
  }

  static constexpr problem value = find();
};

template <compiled_model C>
constexpr const device_memory& memory_of(std::type_identity<C>) {
  if constexpr (plan_fault_of<C>::value.found()) {
    static_assert(check<C>());
    return unknown_memory;
  } else if constexpr (is_null(C::settings.target)) {
    static_assert(diagnose<target_fault_of<C>>());
    return unknown_memory;
  } else {
    return modelled_memory<C, leading_program<C>>::value;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
