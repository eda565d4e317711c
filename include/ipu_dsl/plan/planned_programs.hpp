// SPDX-License-Identifier: MIT
// The programs of a compiled model, planned, proven and frozen; they share their parameters.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/graph/random_streams.hpp>
#include <ipu_dsl/plan/distinct_kernels.hpp>
#include <ipu_dsl/plan/execution_order.hpp>
#include <ipu_dsl/plan/large_proof.hpp>
#include <ipu_dsl/plan/proven_slots.hpp>
#include <ipu_dsl/plan/unproven_programs.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A program with its slots, proven.
template <compiled_model C, program_kind Kind>
constexpr program_plan plan_of() {
  program_plan made = unproven_plan_of<C, Kind>();
  if constexpr (is_proven_at_once<C, Kind>) {
    prove_with_slots<typename C::schedule_type>(made, purpose_of(Kind));
  } else {
    large_proof<C, Kind>::enter(made);
  }
  return made;
}

/// See `parameter_place`.
constexpr std::int32_t panel_width_of(const tensor& stored) {
  return stored.lies == storage::panels
             ? layout::panel_width(layout::outputs_of_panels(stored.extents))
             : 0;
}

/// The random numbers of every node, in an evaluation of their own.
template <compiled_model C>
inline constexpr auto node_streams_of = freeze_list<planned_graph_of<C>.view().nodes.size()>(
    streams_of_nodes(planned_graph_of<C>.view()));

/// What is kept of one tensor of a model, at an offset of its device's region.
template <compiled_model C>
constexpr parameter_place place_of_tensor(std::size_t index, std::int64_t offset,
                                          std::string_view slot) {
  const graph_view model = planned_graph_of<C>.view();
  const tensor& stored = model.tensors[index];
  const node& owner = model.node_at(stored.owner);
  const std::uint64_t stream = node_streams_of<C>.view()[stored.owner];
  const program_view rows = actions_of<C, leading_program<C>>;
  return {
      .region = rows.device_of_stage[owner.stage],
      .offset = offset,
      .stored = stored,
      .layer = title_of(model.layers[owner.layer]),
      .slot = slot,
      .floats = static_cast<std::size_t>(layout::padded_elements(stored.lies, stored.extents, 1)),
      .panel_width = panel_width_of(stored),
      .stream = stream_of_parameter(stream, stored.name)};
}

/// Where all parameters and states of a model lie, in order of tensors.
template <compiled_model C>
constexpr list<parameter_place> parameter_places() {
  const parameter_layout_view lasting = parameter_layout_of<C>.view();
  list<parameter_place> places;
  for (std::size_t i = 0; i < lasting.value.size(); ++i) {
    if (lasting.value[i] >= 0) {
      places.push_back(place_of_tensor<C>(i, lasting.value[i], {}));
    }
  }
  return places;
}

/// Where lies what the optimizer keeps, in order of tensors and slots.
template <compiled_model C>
constexpr list<parameter_place> kept_places() {
  const parameter_layout_view lasting = parameter_layout_of<C>.view();
  list<parameter_place> places;
  for (std::size_t i = 0; i < lasting.slot.size(); ++i) {
    if (lasting.slot[i] >= 0) {
      const std::size_t slot = i % buffer_index::slots_per_parameter;
      places.push_back(place_of_tensor<C>(i / buffer_index::slots_per_parameter, lasting.slot[i],
                                          C::settings.optimizer->kept.names[slot]));
    }
  }
  return places;
}

/// Where the sums of gradients lie that a program of one's own may look at: first one of every
/// parameter that learns, in order of tensors, then those of its further uses.
template <compiled_model C>
constexpr list<parameter_place> gradient_places() {
  const graph_view model = planned_graph_of<C>.view();
  const parameter_layout_view lasting = parameter_layout_of<C>.view();
  list<parameter_place> first;
  list<parameter_place> further;
  for (std::size_t i = 0; i < model.tensors.size() && C::settings.gradients_in_hand; ++i) {
    bool met = false;
    for (std::size_t use = 0; use < model.operands.size(); ++use) {
      if (lasting.accumulator[use] >= 0 && model.operands[use] == static_cast<std::int32_t>(i)) {
        (met ? further : first).push_back(place_of_tensor<C>(i, lasting.accumulator[use], {}));
        met = true;
      }
    }
  }
  first.append(further);
  return first;
}

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

  static constexpr bool in_pieces = proven && !is_proven_at_once<C, Kind>;

  static constexpr std::size_t count_waits() {
    if constexpr (in_pieces) {
      return large_proof<C, Kind>::waits::count;
    } else {
      return proven ? waits_of(plan).waits.size() : 0;
    }
  }

  static constexpr std::size_t count = count_waits();

  static constexpr frozen_waits<actions, count> freeze_waits() {
    frozen_waits<actions, count> frozen;
    if constexpr (in_pieces) {
      large_proof<C, Kind>::waits::enter(frozen.begin.elements, frozen.waits.elements);
    } else if constexpr (proven) {
      frozen = frozen_waits<actions, count>(waits_of(plan));
    }
    return frozen;
  }

  static constexpr frozen_list<int, actions> freeze_order() {
    if constexpr (in_pieces) {
      return large_proof<C, Kind>::order::value;
    } else {
      return proven ? freeze_list<actions>(order_of(plan)) : frozen_list<int, actions>();
    }
  }

  static constexpr frozen_waits<actions, count> waits = freeze_waits();
  static constexpr frozen_list<int, actions> order = freeze_order();
};

/// A program as it is known at run time.
template <compiled_model C, program_kind Kind>
inline constexpr executable_program<plan_sizes_of<C, Kind>, execution_order_of<C, Kind>::count>
    frozen_plan_of{
        planned_program_of<C, Kind>.plan,          execution_order_of<C, Kind>::waits,
        execution_order_of<C, Kind>::order,        named_kernels_of<C, Kind>.of_call.view(),
        named_kernels_of<C, Kind>.distinct.view(), node_streams_of<C>.view()};

template <compiled_model C>
inline constexpr std::size_t parameter_count_of = parameter_places<C>().size();

template <compiled_model C>
inline constexpr frozen_list<parameter_place, parameter_count_of<C>> parameter_places_of =
    freeze_list<parameter_count_of<C>>(parameter_places<C>());

template <compiled_model C>
inline constexpr std::size_t kept_count_of = kept_places<C>().size();

template <compiled_model C>
inline constexpr frozen_list<parameter_place, kept_count_of<C>> kept_places_of =
    freeze_list<kept_count_of<C>>(kept_places<C>());

template <compiled_model C>
inline constexpr std::size_t gradient_count_of = gradient_places<C>().size();

template <compiled_model C>
inline constexpr frozen_list<parameter_place, gradient_count_of<C>> gradient_places_of =
    freeze_list<gradient_count_of<C>>(gradient_places<C>());

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
