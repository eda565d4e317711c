// SPDX-License-Identifier: MIT
// A compiled model, checked, with the modelled facts of its training.
#pragma once

#include <cstddef>
#include <span>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/plan/compiled_programs.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The first mistake of a compiled model: in the model, in the options, in what the schedule
/// allows, in the proof.
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
      return frozen_plan_of<C, program_kind::predict>.fault;
    } else {
      constexpr problem found = frozen_plan_of<C, program_kind::train>.fault;
      return found.found() ? found : refuse_other_placement();
    }
  }

  /// Parameters lie where training has them, so that the forward programs must agree.
  static constexpr problem refuse_other_placement() {
    const graph model = fold_compiled<C>();
    const program forward = actions_of<C>(program_kind::predict, model.view());
    const std::span<const int> trained =
        frozen_plan_of<C, program_kind::train>.view().actions.device_of_stage;
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

/// See `compile::timeline`.
template <typename C>
struct training_timeline {
  static constexpr program_plan_view plan = frozen_plan_of<C, program_kind::train>.view();
  static constexpr facts asynchronous = modelled_facts(plan);
  static constexpr facts lockstep = modelled_lockstep_facts(plan);
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
