// SPDX-License-Identifier: MIT
// The programs of a compiled model, planned, proven and frozen; they share their parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/plan/compiled_graph.hpp>
#include <ipu_dsl/plan/execution_order.hpp>
#include <ipu_dsl/plan/proven_slots.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What the schedule is asked for.
constexpr purpose purpose_of(program_kind kind) {
  return kind == program_kind::train ? purpose::training : purpose::inference;
}

/// Micro-batches of one run of a forward program: those of training, or as few as the schedule
/// takes.
template <compiled_model C>
constexpr int forward_micro_batches() {
  const int trained = C::settings.gradient_accumulation;
  const bool allowed =
      !C::schedule_type::allows(C::settings.devices, C::stages, trained, purpose::inference)
           .found();
  return allowed ? trained : C::stages;
}

/// Everything about the three programs that does not depend on which one it is.
struct planned_parameters {
  lowered_program trained;
  parameter_layout lasting;
};

constexpr planned_parameters plan_parameters(const graph_view& model,
                                             const compile_settings& settings,
                                             const program& actions) {
  planned_parameters made;
  if (settings.loss != nullptr) {
    const backward_form form =
        splits_backward(actions.view()) ? backward_form::halves : backward_form::whole;
    made.trained = lowering(model, program_kind::train, settings.micro_batch, settings.optimizer,
                            form, settings.replicas)
                       .lower();
  }
  made.lasting =
      lay_out_parameters(model, actions.device_of_stage, actions.devices, made.trained.made);
  return made;
}

/// One program of a compiled model, while the compiler evaluates.
constexpr program_plan plan_program(const graph_view& model, const compile_settings& settings,
                                    program_kind kind, const program& actions) {
  planned_parameters parameters = plan_parameters(model, settings, actions);
  if (kind == program_kind::train) {
    return plan_calls(model, std::move(parameters.trained), actions, settings.micro_batch,
                      parameters.lasting);
  }
  return plan_calls(model, lowering(model, kind, settings.micro_batch, settings.optimizer).lower(),
                    actions, settings.micro_batch, parameters.lasting);
}

/// The program of actions, for all devices. A schedule that looks at costs is shown those of the
/// stages, and the edges between them as they are when every stage has a device.
template <compiled_model C>
constexpr program actions_of(program_kind kind, const graph_view& model) {
  using schedule = typename C::schedule_type;
  const bool trains = kind == program_kind::train;
  const int micro_batches = trains ? C::settings.gradient_accumulation : forward_micro_batches<C>();
  if constexpr (costed_schedule<schedule>) {
    if (trains) {
      const program plain = rotate(C::stages, neighbouring_placement(C::stages, C::stages), 1,
                                   overlap::none, purpose::training);
      const program_plan made = plan_program(model, C::settings, kind, plain);
      return schedule::make_for(C::settings.devices, micro_batches,
                                {C::stages, made.memory.edges, made.costs});
    }
  }
  return make_program<schedule>(C::settings.devices, C::stages, micro_batches, purpose_of(kind));
}

/// A program without its slots, not yet proven.
template <compiled_model C>
constexpr program_plan unproven_plan_of(program_kind kind) {
  const graph model = fold_compiled<C>();
  const graph_view view = model.view();
  return plan_program(view, C::settings, kind, actions_of<C>(kind, view));
}

/// A program with its slots, proven.
template <compiled_model C>
constexpr program_plan plan_of(program_kind kind) {
  program_plan made = unproven_plan_of<C>(kind);
  prove_with_slots<typename C::schedule_type>(made, purpose_of(kind));
  return made;
}

/// A parameter or a state: where it lies, what it is and whose.
struct parameter_place {
  std::int32_t region = 0;
  std::int64_t offset = 0;  ///< bytes
  tensor stored;
  layer_title layer;
};

/// Where all parameters and states of a model lie, in order of tensors.
constexpr list<parameter_place> parameter_places(const graph_view& model,
                                                 const compile_settings& settings,
                                                 const program& actions) {
  const planned_parameters parameters = plan_parameters(model, settings, actions);
  list<parameter_place> places;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    if (parameters.lasting.value[i] >= 0) {
      const node& owner = model.node_at(model.tensors[i].owner);
      places.push_back({.region = actions.device_of_stage[static_cast<std::size_t>(owner.stage)],
                        .offset = parameters.lasting.value[i],
                        .stored = model.tensors[i],
                        .layer = title_of(model.layers[static_cast<std::size_t>(owner.layer)])});
    }
  }
  return places;
}

template <compiled_model C>
constexpr list<parameter_place> parameter_places_for() {
  const graph model = fold_compiled<C>();
  const graph_view view = model.view();
  const program actions = actions_of<C>(program_kind::predict, view);
  return parameter_places(view, C::settings, actions);
}

template <compiled_model C, program_kind Kind>
inline constexpr program_plan_sizes plan_sizes_of = sizes_of(unproven_plan_of<C>(Kind));

/// A program as the compiler knows it.
template <compiled_model C, program_kind Kind>
inline constexpr planned_program<plan_sizes_of<C, Kind>> planned_program_of{plan_of<C>(Kind)};

/// What a program's actions wait for, and their order, each in an evaluation of its own: with the
/// plan they would exceed the steps that clang allows. What is not proven has neither.
template <compiled_model C, program_kind Kind>
struct execution_order_of {
  static constexpr program_plan_view plan = planned_program_of<C, Kind>.plan.view();
  static constexpr bool proven = !planned_program_of<C, Kind>.fault.found();
  static constexpr std::size_t actions = plan.actions.actions.size();

  static constexpr std::size_t count_waits() { return proven ? waits_of(plan).waits.size() : 0; }

  static constexpr std::size_t count = count_waits();

  static constexpr frozen_waits<actions, count> freeze_waits() {
    return proven ? frozen_waits<actions, count>(waits_of(plan)) : frozen_waits<actions, count>();
  }

  static constexpr frozen_list<int, actions> freeze_order() {
    return proven ? freeze_list<actions>(order_of(plan)) : frozen_list<int, actions>();
  }

  static constexpr frozen_waits<actions, count> waits = freeze_waits();
  static constexpr frozen_list<int, actions> order = freeze_order();
};

/// A program as it is known at run time.
template <compiled_model C, program_kind Kind>
inline constexpr executable_program<plan_sizes_of<C, Kind>, execution_order_of<C, Kind>::count>
    frozen_plan_of{planned_program_of<C, Kind>.plan, execution_order_of<C, Kind>::waits,
                   execution_order_of<C, Kind>::order};

template <compiled_model C>
inline constexpr std::size_t parameter_count_of = parameter_places_for<C>().size();

template <compiled_model C>
inline constexpr frozen_list<parameter_place, parameter_count_of<C>> parameter_places_of =
    freeze_list<parameter_count_of<C>>(parameter_places_for<C>());

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
