// SPDX-License-Identifier: MIT
// The order in which a program's actions can be done, and what each of them waits for.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/program_plan.hpp>
#include <ipu_dsl/schedule/waits.hpp>
#include <ipu_dsl/schedule/worker_rows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a proven program's actions wait for, in terms of counters.
constexpr wait_list waits_of(const program_plan_view& plan) {
  return waits_of(plan.actions, plan.stages(), plan.slots);
}

/// See `global_order`, of a proven program.
constexpr list<int> order_of(const program_plan_view& plan) {
  return global_order(plan.actions, plan.stages(), plan.slots);
}

/// Waits in static storage.
template <std::size_t Actions, std::size_t Waits>
struct frozen_waits {
  frozen_list<int, Actions + 1> begin;
  frozen_list<awaited_count, Waits> waits;

  constexpr frozen_waits() = default;

  constexpr explicit frozen_waits(const wait_list& found)
      : begin(freeze_list<Actions + 1>(found.begin)), waits(freeze_list<Waits>(found.waits)) {}
};

/// A program in static storage, with all that does not depend on who executes it.
template <program_plan_sizes Sizes, std::size_t Waits>
struct executable_program {
  frozen_program_plan<Sizes> plan;
  frozen_waits<Sizes.actions.actions, Waits> waits;
  frozen_list<int, Sizes.actions.actions> order;
  list_view<std::int32_t> code_of_call;
  list_view<kernel_name> codes;
  list_view<std::uint64_t> streams;  ///< by node: see `streams_of_nodes`

  constexpr program_plan_view view() const {
    program_plan_view all = plan.view();
    all.first_wait = waits.begin.view();
    all.waits = waits.waits.view();
    all.order = order.view();
    all.code_of_call = code_of_call;
    all.codes = codes;
    all.streams = streams;
    return all;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
