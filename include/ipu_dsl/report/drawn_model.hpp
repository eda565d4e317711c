// SPDX-License-Identifier: MIT
// The modelled timeline of a compiled model, ready to be drawn.
#pragma once

#include <cstdint>
#include <string>

#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Which model of time a picture shows.
enum class time_model : std::uint8_t {
  asynchronous,  ///< devices wait for nothing but data and slots
  lockstep,      ///< a barrier after every time slot, as IPUs have
};

/// The picture of one program of a compiled model, modelled in multiply-adds. The time slots of
/// lockstep are the schedule's own, or else one for every action.
template <compiled_model C, program_kind Kind = program_kind::train>
drawn_timeline draw_model(time_model how = time_model::asynchronous) {
  constexpr program_plan_view plan = frozen_plan_of<typename C::compiled, Kind>.view();
  const bool lockstep = how == time_model::lockstep;
  list<timed_action> timeline;
  if (lockstep) {
    timeline = lockstep_timeline(plan.actions, plan.stages());
  } else {
    timeline = asynchronous_timeline(plan.actions, plan.stages(), plan.slots);
  }
  constexpr const char* purposes[] = {"training", "evaluation", "prediction"};
  std::string title(C::schedule_type::name);
  title += ": ";
  title += purposes[static_cast<int>(Kind)];
  title += " of ";
  title += type_name<typename C::model_type>();
  drawn_timeline drawn = draw_timeline(plan.actions, timeline, title, {.unit = "multiply-adds"});
  drawn.subtitle += lockstep ? ", a barrier after every time slot" : ", no barriers";
  return drawn;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
