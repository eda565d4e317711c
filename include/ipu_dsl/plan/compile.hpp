// SPDX-License-Identifier: MIT
// A compiled model, checked, with the modelled facts of its training.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/plan/compiled_programs.hpp>
#include <ipu_dsl/plan/tile_memory.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a program of a compiled model takes of the memory of its target, once it is proven. Buffers
/// are frozen first: evaluated together, plan and memory exceed the steps that clang allows.
template <compiled_model C, program_kind Kind>
struct modelled_memory {
  static constexpr std::size_t devices = static_cast<std::size_t>(C::settings.devices);
  static constexpr std::size_t buffer_count = plan_sizes_of<C, Kind>.buffers;
  static constexpr frozen_list<buffer, buffer_count> buffers =
      freeze_list<buffer_count>(unproven_plan_of<C>(Kind).lowered.made.buffers);

  static constexpr list<tile_use> count() {
    return tile_memory_model(frozen_compiled_graph_of<C>.view(),
                             planned_program_of<C, Kind>.plan.view(), buffers.view(),
                             C::settings.micro_batch, C::settings.target->tiles)
        .count();
  }

  static constexpr frozen_list<tile_use, devices> uses = freeze_list<devices>(count());
  static constexpr device_memory value{C::settings.target, uses.view(), C::settings.micro_batch};
};

/// The first mistake of a compiled model: in the model, in the options, in what the schedule
/// allows, in the proof, in the memory of the target.
template <compiled_model C>
struct compile_fault_of {
  static constexpr problem find() {
    const graph model = fold_compiled<C>();
    if (model.fault.found() || C::settings.loss == nullptr) {
      return model.fault;
    }
    return C::schedule_type::allows(C::settings.devices, C::stages,
                                    C::settings.gradient_accumulation, purpose::training);
  }

  static constexpr problem prove() {
    constexpr problem before = find();
    if constexpr (before.found()) {
      return before;
    } else if constexpr (C::settings.loss == nullptr) {
      return prove_memory<program_kind::predict>();
    } else {
      constexpr problem found = prove_memory<program_kind::train>();
      return found.found() ? found : refuse_other_placement();
    }
  }

  /// A program that is not proven has no slots whose bytes could be counted.
  template <program_kind Kind>
  static constexpr problem prove_memory() {
    constexpr problem found = planned_program_of<C, Kind>.fault;
    if constexpr (found.found() || C::settings.target == nullptr) {
      return found;
    } else {
      return modelled_memory<C, Kind>::value.fault();
    }
  }

  /// Parameters lie where training has them, so that the forward programs must agree.
  static constexpr problem refuse_other_placement() {
    const graph model = fold_compiled<C>();
    const program forward = actions_of<C>(program_kind::predict, model.view());
    const std::span<const int> trained =
        planned_program_of<C, program_kind::train>.plan.view().actions.device_of_stage;
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

  static constexpr problem value = prove();
};

/// Whether model, options and schedule are right; never an error.
template <compiled_model C>
constexpr bool valid() {
  return !compile_fault_of<typename C::compiled>::value.found();
}

/// Makes one compile error with one sentence if something is wrong; always true.
template <compiled_model C>
constexpr bool check() {
  // A mistake of the model is the model's, so that it is reported once, however often it is
  // compiled.
  if constexpr (!ipu_dsl::valid<typename C::model_type>()) {
    return diagnose<fault_of<typename C::model_type>>();
  } else {
    return diagnose<compile_fault_of<typename C::compiled>>();
  }
}

/// The facts of training, in both modes.
template <compiled_model C>
struct training_timeline {
  static constexpr program_plan_view plan = planned_program_of<C, program_kind::train>.plan.view();
  static constexpr facts asynchronous = modelled_facts(plan);
  static constexpr facts lockstep = modelled_lockstep_facts(plan);
};

/// See `compile::timeline`, which finds this and the following by its own type: plans depend on the
/// vector unit, and so stand in a namespace that `compile` does not know.
template <compiled_model C>
constexpr const facts& timeline_of(std::type_identity<C>) {
  return training_timeline<C>::asynchronous;
}

template <compiled_model C>
constexpr const facts& lockstep_timeline_of(std::type_identity<C>) {
  return training_timeline<C>::lockstep;
}

/// A question about the memory of a machine that was not named.
template <compiled_model C>
struct target_fault_of {
  static constexpr problem find() {
    problem found;
    if (C::settings.target == nullptr) {
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
  constexpr program_kind kind =
      C::settings.loss != nullptr ? program_kind::train : program_kind::predict;
  if constexpr (C::settings.target == nullptr) {
    static_assert(diagnose<target_fault_of<C>>());
    return unknown_memory;
  } else {
    return modelled_memory<C, kind>::value;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
