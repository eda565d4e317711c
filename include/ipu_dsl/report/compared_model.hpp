// SPDX-License-Identifier: MIT
// A traced run of a compiled model beside its proof.
#pragma once

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/report/compared_run.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Holds the last update of a session with `{.trace = true}` against the proof of its schedule:
///
///   const std::string page = comparison_text(compare_run<training>(run.last_trace()));
///
/// Throws `error` if nothing was traced, if a worker played several devices (`.threads` is the
/// number of devices at least), or if the trace is of another model.
template <compiled_model C>
compared_run compare_run(const trace& recorded) {
  constexpr program_plan_view plan =
      frozen_plan_of<typename C::compiled, program_kind::train>.view();
  return compare_run(plan.actions, plan.stages(), plan.slots, recorded);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
