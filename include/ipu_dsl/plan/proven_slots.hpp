// SPDX-License-Identifier: MIT
// The slots of a planned program, and the proof that it runs with them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ipu_dsl/plan/program_plan.hpp>
#include <ipu_dsl/schedule/analysis.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/time_slots.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Refuses a schedule of several copies of the weights.
constexpr problem refuse_copies(int copies, std::string_view schedule) {
  problem found = refuse("one copy of the weights", label() << copies << " copies",
                         "study<...> proves and times them; dualpipe_v is executed");
  found.where = label("schedule ") << schedule;
  return found;
}

/// What of a program is proven but cannot be executed, as a problem: it would be skipped without a
/// word.
constexpr problem refuse_unlowered(const program_view& rows, std::string_view schedule) {
  if (rows.weights.copies > 1) {
    return refuse_copies(rows.weights.copies, schedule);
  }
  problem found;
  if (rows.weights.update_interval > 0) {
    const int interval = rows.weights.update_interval;
    found = refuse("one update at the end of a run",
                   interval == 1 ? label("one after every micro-batch")
                                 : label("one every ") << interval << " micro-batches",
                   "study<...> proves and times them; one_f_one_b is executed");
  }
  int last_read = -1;
  for (const action& what : rows.actions) {
    if (found.found()) {
      break;
    }
    if (what.kind == action_kind::recompute || what.kind == action_kind::offload ||
        what.kind == action_kind::fetch) {
      found = refuse("forward, backward (whole or in halves) and update actions only",
                     describe(what), "these are proven, not yet executed: take them out to run it");
    } else if (what.kind == action_kind::forward && what.stage == 0) {
      if (what.micro_batch < last_read) {
        found = refuse("the forwards of stage 0 by ascending micro-batch, as the data come",
                       label() << describe(what) << " after micro-batch " << last_read);
      }
      last_read = what.micro_batch;
    }
  }
  if (found.found()) {
    found.where = label("schedule ") << schedule;
  }
  return found;
}

/// Proves a program, and gives it as many slots as it needs to run without stall. The slots of a
/// short program are taken as they are if the real one is as fast with them as with any number,
/// else one more on every edge, else as many as delay no action at all. What is not proven has a
/// fault and no slots.
template <schedule_type Schedule>
constexpr void prove_with_slots(program_plan& plan, purpose aim) {
  const program_view& rows = plan.actions;
  const stage_graph_view stages{rows.stages, plan.memory.edges, plan.memory.readers, plan.costs};
  plan.fault = refuse_unlowered(rows, Schedule::name);
  if (!plan.fault.found()) {
    const analysis unlimited = analyse(rows, stages, Schedule::name);
    plan.fault = unlimited.found.fault;
    if (unlimited.found.proven()) {
      // A search on the real program would grow with the square of the micro-batches.
      const int searched =
          searched_micro_batches<Schedule>(rows.devices, rows.stages, rows.micro_batches, aim);
      const program brief = make_program_for<Schedule>(rows.devices, searched, stages, aim);
      const list<int> found = slots_without_stall(brief.view(), stages);
      plan.slots = confirm_without_stall(rows, stages, unlimited, found);
    }
  }
  if (!plan.fault.found()) {
    if (rows.slot.empty() || !slots_agree_with_data(rows, stages)) {
      plan.time_slots = unit_slots(rows, stages);
    } else {
      plan.time_slots.append(rows.slot);
    }
  }
  plan.time_slots.resize(rows.actions.size(), 0);
  plan.slots.resize(plan.memory.edges.size(), 1);
}

/// The facts of a proven program, modelled in multiply-adds with devices that wait for nothing but
/// data and slots.
constexpr facts modelled_facts(const program_plan_view& plan) {
  return facts_of(plan.actions, asynchronous_timeline(plan.actions, plan.stages(), plan.slots));
}

/// The same with a barrier after every time slot, as on IPUs.
constexpr facts modelled_lockstep_facts(const program_plan_view& plan) {
  return facts_of(plan.actions, timeline_of_slots(plan.actions, plan.stages(), plan.actions.slot));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
