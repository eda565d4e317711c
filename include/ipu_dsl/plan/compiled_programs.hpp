// SPDX-License-Identifier: MIT
// The programs of a compiled model, planned, proven and frozen; they share their parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/graph/random_streams.hpp>
#include <ipu_dsl/plan/compiled_graph.hpp>
#include <ipu_dsl/plan/definition.hpp>
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

/// The calls of one program of a compiled model.
template <compiled_model C, program_kind Kind, backward_form Form>
constexpr lowered_program lower_program(bool with_accesses = false) {
  const std::int32_t replicas = Kind == program_kind::train ? C::settings.replicas : 1;
  return lowering(frozen_compiled_graph_of<C>.view(), Kind, C::settings.micro_batch,
                  C::settings.optimizer, Form, replicas)
      .lower(with_accesses);
}

template <compiled_model C, program_kind Kind, backward_form Form>
inline constexpr lowered_sizes lowered_sizes_of = sizes_of(lower_program<C, Kind, Form>());

/// The same, frozen: lowered and planned in one evaluation, a model of a hundred layers takes all
/// the steps that clang allows.
template <compiled_model C, program_kind Kind, backward_form Form = backward_form::whole>
inline constexpr frozen_lowered_program<lowered_sizes_of<C, Kind, Form>> lowered_of{
    lower_program<C, Kind, Form>()};

/// The buffers of training; none without a loss.
template <compiled_model C, backward_form Form>
constexpr std::span<const buffer> trained_buffers() {
  if constexpr (C::settings.loss == nullptr) {
    return {};
  } else {
    return lowered_of<C, program_kind::train, Form>.view().buffers;
  }
}

/// What a schedule that looks at costs is shown: the stages' own, and the edges between them as
/// they are when every stage has a device.
template <compiled_model C>
constexpr program_plan plan_of_neighbours(const program& plain) {
  const graph_view model = frozen_compiled_graph_of<C>.view();
  const parameter_layout lasting = lay_out_parameters(model, plain.device_of_stage, plain.devices,
                                                      trained_buffers<C, backward_form::whole>());
  return plan_calls(model, lowered_of<C, program_kind::train>.view(), plain.view(),
                    C::settings.micro_batch, view_of(lasting));
}

/// The program of actions, for all devices.
template <compiled_model C, program_kind Kind>
constexpr program make_actions() {
  using schedule = typename C::schedule_type;
  constexpr bool trains = Kind == program_kind::train;
  const int micro_batches = trains ? C::settings.gradient_accumulation : forward_micro_batches<C>();
  if constexpr (trains && costed_schedule<schedule>) {
    const program plain = rotate(C::stages, neighbouring_placement(C::stages, C::stages), 1,
                                 overlap::none, purpose::training);
    const program_plan made = plan_of_neighbours<C>(plain);
    return schedule::make_for(C::settings.devices, micro_batches,
                              {C::stages, made.memory.edges, made.costs});
  } else {
    return make_program<schedule>(C::settings.devices, C::stages, micro_batches, purpose_of(Kind));
  }
}

template <compiled_model C, program_kind Kind>
inline constexpr program_sizes action_sizes_of = sizes_of(make_actions<C, Kind>());

/// The same, frozen.
template <compiled_model C, program_kind Kind>
inline constexpr auto actions_of =
    freeze_program<action_sizes_of<C, Kind>>(make_actions<C, Kind>());

/// The program that says where parameters lie: training if there is one.
template <compiled_model C>
inline constexpr program_kind leading_program =
    C::settings.loss != nullptr ? program_kind::train : program_kind::predict;

/// How the backwards of a compiled model are lowered.
template <compiled_model C>
inline constexpr backward_form backward_form_of =
    splits_backward(actions_of<C, leading_program<C>>.view()) ? backward_form::halves
                                                              : backward_form::whole;

/// Where a compiled model's parameters lie, in all of its programs.
template <compiled_model C>
constexpr parameter_layout lay_out_compiled() {
  const program_view rows = actions_of<C, leading_program<C>>.view();
  return lay_out_parameters(frozen_compiled_graph_of<C>.view(), rows.device_of_stage, rows.devices,
                            trained_buffers<C, backward_form_of<C>>());
}

template <compiled_model C>
inline constexpr frozen_parameter_layout<compiled_graph_sizes_of<C>.tensors,
                                         action_sizes_of<C, leading_program<C>>.devices>
    parameter_layout_of{lay_out_compiled<C>()};

/// The calls of a program of a compiled model, as it is executed.
template <compiled_model C, program_kind Kind>
constexpr lowered_view calls_of() {
  constexpr backward_form form =
      Kind == program_kind::train ? backward_form_of<C> : backward_form::whole;
  return lowered_of<C, Kind, form>.view();
}

template <compiled_model C, program_kind Kind>
constexpr access_list list_accesses() {
  constexpr backward_form form =
      Kind == program_kind::train ? backward_form_of<C> : backward_form::whole;
  return lower_program<C, Kind, form>(true).made.accesses;
}

template <compiled_model C, program_kind Kind>
inline constexpr access_sizes access_sizes_of = sizes_of(list_accesses<C, Kind>());

/// What the calls of a program of a compiled model access, in an evaluation of their own: only who
/// looks at tiles asks for it.
template <compiled_model C, program_kind Kind>
inline constexpr frozen_accesses<access_sizes_of<C, Kind>> accesses_of{list_accesses<C, Kind>()};

template <compiled_model C, program_kind Kind>
constexpr lowered_view calls_with_accesses_of() {
  lowered_view program = calls_of<C, Kind>();
  program.accesses = accesses_of<C, Kind>.view();
  return program;
}

/// What is missing in the rules of the families of a program, or nothing.
template <compiled_model C, program_kind Kind>
struct definition_fault_of {
  static constexpr problem find() {
    constexpr backward_form form =
        Kind == program_kind::train ? backward_form_of<C> : backward_form::whole;
    const problem& asked = lowered_of<C, Kind, form>.fault;
    return asked.found()
               ? asked
               : definition_check(frozen_compiled_graph_of<C>.view(), calls_of<C, Kind>(), Kind)
                     .find();
  }

  static constexpr problem value = find();
};

/// A program without its slots, not yet proven.
template <compiled_model C, program_kind Kind>
constexpr program_plan unproven_plan_of() {
  return plan_calls(frozen_compiled_graph_of<C>.view(), calls_of<C, Kind>(),
                    actions_of<C, Kind>.view(), C::settings.micro_batch,
                    parameter_layout_of<C>.view());
}

/// A program with its slots, proven.
template <compiled_model C, program_kind Kind>
constexpr program_plan plan_of() {
  program_plan made = unproven_plan_of<C, Kind>();
  prove_with_slots<typename C::schedule_type>(made, purpose_of(Kind));
  return made;
}

/// See `parameter_place`.
constexpr std::int32_t panel_width_of(const tensor& stored) {
  return stored.lies == storage::panels ? layout::panel_width(stored.extents[1]) : 0;
}

/// The random numbers of every node, in an evaluation of their own.
template <compiled_model C>
inline constexpr auto node_streams_of =
    freeze_list<frozen_compiled_graph_of<C>.view().nodes.size()>(
        streams_of_nodes(frozen_compiled_graph_of<C>.view()));

/// Where all parameters and states of a model lie, in order of tensors.
template <compiled_model C>
constexpr list<parameter_place> parameter_places() {
  const graph_view model = frozen_compiled_graph_of<C>.view();
  const parameter_layout_view lasting = parameter_layout_of<C>.view();
  const program_view rows = actions_of<C, leading_program<C>>.view();
  const std::span<const std::uint64_t> streams = node_streams_of<C>.view();
  list<parameter_place> places;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    if (lasting.value[i] >= 0) {
      const tensor& stored = model.tensors[i];
      const node& owner = model.node_at(stored.owner);
      const std::uint64_t stream = streams[static_cast<std::size_t>(stored.owner)];
      places.push_back({.region = rows.device_of_stage[static_cast<std::size_t>(owner.stage)],
                        .offset = lasting.value[i],
                        .stored = stored,
                        .layer = title_of(model.layers[static_cast<std::size_t>(owner.layer)]),
                        .floats = static_cast<std::size_t>(
                            layout::padded_elements(stored.lies, stored.extents, 1)),
                        .panel_width = panel_width_of(stored),
                        .stream = stream_of_parameter(stream, stored.name)});
    }
  }
  return places;
}

template <compiled_model C, program_kind Kind>
inline constexpr program_plan_sizes plan_sizes_of = sizes_of(unproven_plan_of<C, Kind>());

/// A program as the compiler knows it.
template <compiled_model C, program_kind Kind>
inline constexpr planned_program<plan_sizes_of<C, Kind>> planned_program_of{plan_of<C, Kind>()};

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
                   execution_order_of<C, Kind>::order, node_streams_of<C>.view()};

template <compiled_model C>
inline constexpr std::size_t parameter_count_of = parameter_places<C>().size();

template <compiled_model C>
inline constexpr frozen_list<parameter_place, parameter_count_of<C>> parameter_places_of =
    freeze_list<parameter_count_of<C>>(parameter_places<C>());

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
