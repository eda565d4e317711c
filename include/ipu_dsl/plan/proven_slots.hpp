// SPDX-License-Identifier: MIT
// The slots of a planned program, and the proof that it runs with them.
#pragma once

#include <ipu_dsl/plan/program_plan.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/slots.hpp>

namespace ipu_dsl {

/// The first action of a program that no calls are lowered for, as a problem: it would be skipped
/// without a word.
constexpr problem refuse_unlowered(const program_view& rows, std::string_view schedule) {
  for (const action& what : rows.actions) {
    const bool lowered = what.kind == action_kind::forward || what.kind == action_kind::backward ||
                         what.kind == action_kind::update;
    if (!lowered) {
      problem found = refuse("forward, backward and update actions only", describe(what),
                             "a backward in halves and recomputation are proven, not yet executed");
      found.where = label("schedule ") << schedule;
      return found;
    }
  }
  return {};
}

/// Gives a program as many slots as it needs to run without stall, and proves that it runs with
/// them. They are searched on a short program of the same schedule and confirmed on the real one:
/// a search on the real one would grow with the square of the micro-batches. What is not proven
/// has a fault and no slots.
template <schedule_type Schedule>
constexpr void prove_with_slots(program_plan& plan, purpose aim) {
  const program_view rows = plan.actions.view();
  const stage_graph_view stages{rows.stages, plan.memory.edges, plan.costs};
  plan.fault = plan.memory.fault;
  if (!plan.fault.found()) {
    plan.fault = refuse_unlowered(rows, Schedule::name);
  }
  if (plan.fault.found()) {
    plan.slots.resize(plan.memory.edges.size(), 1);
    return;
  }
  verdict found = prove(rows, stages, {}, Schedule::name);
  if (found.proven()) {
    const int searched =
        searched_micro_batches<Schedule>(rows.devices, rows.stages, rows.micro_batches, aim);
    const program brief = make_program<Schedule>(rows.devices, rows.stages, searched, aim);
    const list<int> guess = slots_without_stall(brief.view(), stages);
    plan.slots = confirm_without_stall(rows, stages, guess);
    found = prove(rows, stages, plan.slots, Schedule::name);
  }
  plan.fault = found.fault;
  plan.slots.resize(plan.memory.edges.size(), 1);
}

/// The facts of a proven program, modelled in multiply-adds with devices that wait for nothing but
/// data and slots.
constexpr facts modelled_facts(const program_plan_view& plan) {
  return facts_of(plan.actions, asynchronous_timeline(plan.actions, plan.stages(), plan.slots));
}

/// The same with a barrier after every time slot, as on IPUs.
constexpr facts modelled_lockstep_facts(const program_plan_view& plan) {
  return facts_of(plan.actions, lockstep_timeline(plan.actions, plan.stages()));
}

}  // namespace ipu_dsl
