// SPDX-License-Identifier: MIT
// One program, planned: which calls, on which memory, in which order.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/memory.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>
#include <ipu_dsl/plan/stage_cost.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/waits.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A planned program while the compiler evaluates. Its actions and calls must outlive it.
struct program_plan {
  program_view actions;
  lowered_view lowered;
  memory_layout memory;
  list<int> slots;
  list<int> time_slots;  ///< by action, once it is proven
  list<stage_cost> costs;
  problem fault;  ///< what the proof found
};

/// What a plan is proven against, in static storage.
template <std::size_t Edges, std::size_t Readers, std::size_t Stages>
constexpr frozen_stage_graph<Edges, Readers, Stages> freeze_stages(const program_plan& plan) {
  return {plan.actions.stages, freeze_list<Edges>(plan.memory.edges),
          freeze_list<Readers>(plan.memory.readers), freeze_list<Stages>(plan.costs)};
}

/// A program except its slots. Its code is another question: see distinct_kernels.hpp.
constexpr program_plan plan_calls(const graph_view& model, const lowered_view& lowered,
                                  const program_view& actions, std::int32_t batch,
                                  const parameter_layout_view& lasting) {
  program_plan made;
  made.actions = actions;
  made.lowered = lowered;
  made.memory =
      memory_planner(model, lowered, batch, actions.micro_batches, actions.device_of_stage, lasting)
          .plan();
  made.costs = stage_costs(lowered, model.stages);
  return made;
}

struct program_plan_sizes {
  program_sizes actions;
  std::size_t calls = 0;
  std::size_t operands = 0;
  std::size_t buffers = 0;
  std::size_t edges = 0;
  std::size_t readers = 0;  ///< of edges
};

/// Of a plan, proven or not: a proof adds nothing but numbers for what is there.
constexpr program_plan_sizes sizes_of(const program_plan& plan) {
  return {.actions = {.devices = plan.actions.row_begin.size() - 1,
                      .stages = plan.actions.device_of_stage.size(),
                      .actions = plan.actions.actions.size(),
                      .slots = plan.actions.actions.size()},
          .calls = plan.lowered.calls.size(),
          .operands = plan.lowered.operands.size(),
          .buffers = plan.lowered.buffers.size(),
          .edges = plan.memory.edges.size(),
          .readers = plan.memory.readers.size()};
}

/// The first `Size` calls of a list, without the families that only the compiler knows.
template <std::size_t Size>
constexpr frozen_list<call, Size> freeze_calls(list_view<emitted_call> calls) {
  frozen_list<call, Size> frozen;
  const emitted_call* const from = calls.data();
  for (std::size_t i = 0; i < Size; ++i) {
    frozen.elements[i] = from[i];
  }
  return frozen;
}

/// A planned program in static storage. It points to no family, because it is there at run time:
/// the rules of families would be compiled into every program that has a plan.
template <program_plan_sizes Sizes>
struct frozen_program_plan {
  static constexpr std::size_t devices = Sizes.actions.devices;
  static constexpr std::size_t stages = Sizes.actions.stages;

  frozen_program<devices, stages, Sizes.actions.actions, Sizes.actions.slots> actions;
  frozen_list<call, Sizes.calls> calls;
  frozen_list<std::int32_t, Sizes.operands> operands;
  frozen_list<placement, Sizes.buffers> placements;
  frozen_list<std::int32_t, stages * action_kinds + 1> first_call;
  frozen_list<edge, Sizes.edges> edges;
  frozen_list<step, Sizes.readers> readers;
  frozen_list<int, Sizes.edges> slots;
  frozen_list<stage_cost, stages> costs;
  frozen_list<std::int64_t, devices> shared_of_device;
  frozen_list<std::int64_t, devices> bytes_of_device;
  std::int32_t replicas = 1;

  constexpr frozen_program_plan() = default;

  constexpr explicit frozen_program_plan(const program_plan& plan)
      : actions(freeze_program<Sizes.actions>(with_slots(plan))),
        calls(freeze_calls<Sizes.calls>(plan.lowered.calls)),
        operands(freeze_list<Sizes.operands>(plan.lowered.operands)),
        placements(freeze_list<Sizes.buffers>(plan.memory.of_buffer)),
        first_call(freeze_list<stages * action_kinds + 1>(plan.lowered.first_call)),
        edges(freeze_list<Sizes.edges>(plan.memory.edges)),
        readers(freeze_list<Sizes.readers>(plan.memory.readers)),
        slots(freeze_list<Sizes.edges>(plan.slots)),
        costs(freeze_list<stages>(plan.costs)),
        shared_of_device(freeze_list<devices>(plan.memory.shared_of_device)),
        bytes_of_device(freeze_list<devices>(plan.memory.bytes_of_device)),
        replicas(plan.lowered.replicas) {}

  static constexpr program_view with_slots(const program_plan& plan) {
    program_view rows = plan.actions;
    rows.slot = {plan.time_slots.data(), plan.time_slots.size()};
    return rows;
  }

  constexpr program_plan_view view() const {
    return {.actions = actions.view(),
            .calls = calls.view(),
            .operands = operands.view(),
            .placements = placements.view(),
            .first_call = first_call.view(),
            .edges = edges.view(),
            .readers = readers.view(),
            .slots = slots.view(),
            .costs = costs.view(),
            .shared_of_device = shared_of_device.view(),
            .bytes_of_device = bytes_of_device.view(),
            .replicas = replicas};
  }
};

/// A planned program and what the compiler alone is to know of it.
template <program_plan_sizes Sizes>
struct planned_program {
  frozen_program_plan<Sizes> plan;
  problem fault;  ///< what the proof found

  constexpr explicit planned_program(const program_plan& made) : plan(made), fault(made.fault) {}
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
