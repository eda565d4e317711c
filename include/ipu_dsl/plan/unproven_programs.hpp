// SPDX-License-Identifier: MIT
// The programs of a compiled model as far as they go without a proof: calls, actions, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/definition.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>
#include <ipu_dsl/plan/program_plan.hpp>
#include <ipu_dsl/schedule/study.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What the schedule is asked for.
constexpr purpose purpose_of(program_kind kind) {
  return kind == program_kind::train ? purpose::training : purpose::inference;
}

/// What the schedule says to so many micro-batches of a forward program.
template <compiled_model C>
constexpr problem refuse_forward(int micro_batches) {
  return refuse_disallowed_counts<typename C::schedule_type>(C::settings.devices, C::stages,
                                                             micro_batches, purpose::inference);
}

/// What is wrong with `inference_micro_batches<...>`.
template <compiled_model C>
constexpr problem refuse_inference_micro_batches() {
  const int asked = C::options.integer(inference_micro_batches_key, 1);
  problem found;
  if (asked < 1) {
    found = refuse("at least 1 micro-batch in inference_micro_batches<...>", label() << asked);
    found.where = "compile";
  } else if (C::options.given(inference_micro_batches_key)) {
    found = refuse_forward<C>(asked);
  }
  return found;
}

/// Micro-batches of one run of a forward program: those asked for, those of training, or as few as
/// the schedule takes.
template <compiled_model C>
constexpr int forward_micro_batches() {
  const int wanted =
      C::options.integer(inference_micro_batches_key, C::settings.gradient_accumulation);
  return refuse_forward<C>(wanted).found() ? C::stages : wanted;
}

/// The calls of one program of a compiled model.
template <compiled_model C, program_kind Kind, backward_form Form>
constexpr lowered_program lower_program(const index_range& noted = {}) {
  constexpr const auto& of = C::settings;
  constexpr training_form training{of.replicas, !of.gradients_in_hand, of.outfeed_outputs};
  return lowering(planned_graph_of<C>.view(), Kind, C::settings.micro_batch, C::settings.optimizer,
                  Form, Kind == program_kind::train ? training : training_form{})
      .lower(noted);
}

/// The sizes of the calls, or no constant.
template <compiled_model C, program_kind Kind, backward_form Form>
inline const std::uint64_t packed_lowered_sizes_of =
    sizes_of(lower_program<C, Kind, Form>()).packed();

/// Whether the compiler can run the rules that append calls.
template <typename C, program_kind Kind, backward_form Form = backward_form::whole>
concept lowered_by_compiler = requires {
  typename std::integral_constant<std::uint64_t, packed_lowered_sizes_of<C, Kind, Form>>;
};

template <compiled_model C, program_kind Kind, backward_form Form>
inline constexpr lowered_sizes lowered_sizes_of =
    unpack_lowered_sizes(packed_lowered_sizes_of<C, Kind, Form>);

/// The same, frozen: lowered and planned in one evaluation, a model of a hundred layers takes all
/// the steps that clang allows.
template <compiled_model C, program_kind Kind, backward_form Form = backward_form::whole>
inline constexpr frozen_lowered_program<lowered_sizes_of<C, Kind, Form>> lowered_of{
    lower_program<C, Kind, Form>()};

/// The buffers of training; none without a loss.
template <compiled_model C, backward_form Form>
constexpr list_view<buffer> trained_buffers() {
  if constexpr (!C::settings.has_loss) {
    return {};
  } else {
    return lowered_of<C, program_kind::train, Form>.view().buffers;
  }
}

/// What a schedule that looks at costs is shown: the stages' own, and the edges between them as
/// they are when every stage has a device.
template <compiled_model C>
struct neighbouring_stages {
 private:
  static constexpr program_plan plan() {
    const program plain = rotate(C::stages, neighbouring_placement(C::stages, C::stages), 1,
                                 overlap::none, purpose::training);
    const graph_view model = planned_graph_of<C>.view();
    const parameter_layout lasting = lay_out_parameters(model, plain.device_of_stage, plain.devices,
                                                        trained_buffers<C, backward_form::whole>());
    return plan_calls(model, lowered_of<C, program_kind::train>.view(), plain.view(),
                      C::settings.micro_batch, view_of(lasting));
  }

  static constexpr std::size_t edges = plan().memory.edges.size();
  static constexpr std::size_t readers = plan().memory.readers.size();
  static constexpr auto frozen =
      freeze_stages<edges, readers, static_cast<std::size_t>(C::stages)>(plan());

 public:
  static constexpr stage_graph_view graph = frozen.view();

  /// The same as the costs of a study.
  static constexpr stage_graph make(int, int) { return copy_of(graph); }
};

/// Micro-batches of a run of a program.
template <compiled_model C, program_kind Kind>
inline constexpr int micro_batches_of =
    Kind == program_kind::train ? C::settings.gradient_accumulation : forward_micro_batches<C>();

/// The program of actions, for all devices.
template <compiled_model C, program_kind Kind>
constexpr program make_actions() {
  using schedule = typename C::schedule_type;
  constexpr int micro_batches = micro_batches_of<C, Kind>;
  if constexpr (Kind == program_kind::train && costed_schedule<schedule>) {
    return schedule::make_for(C::settings.devices, micro_batches, neighbouring_stages<C>::graph);
  } else {
    return make_program<schedule>(C::settings.devices, C::stages, micro_batches, purpose_of(Kind));
  }
}

/// The sizes of the program, or no constant.
template <compiled_model C, program_kind Kind>
inline const std::uint64_t packed_action_sizes_of = sizes_of(make_actions<C, Kind>()).packed();

/// Whether the compiler can run the schedule in one evaluation.
template <typename C, program_kind Kind>
concept scheduled_by_compiler =
    requires { typename std::integral_constant<std::uint64_t, packed_action_sizes_of<C, Kind>>; };

template <compiled_model C, program_kind Kind>
inline constexpr program_sizes action_sizes_of =
    unpack_program_sizes(packed_action_sizes_of<C, Kind>);

template <compiled_model C, program_kind Kind>
inline constexpr auto actions_at_once =
    freeze_program<action_sizes_of<C, Kind>>(make_actions<C, Kind>());

/// Whether a schedule makes a program in pieces, which is too large for one constant evaluation.
template <schedule_type Schedule>
constexpr bool makes_in_pieces(int stages, int micro_batches, purpose aim) {
  return pieces::makes_pieces<Schedule> && aim == purpose::training &&
         studying::takes_pieces<Schedule>(stages, micro_batches);
}

/// Whether the compiler can run the schedule, at once or in pieces.
template <compiled_model C, program_kind Kind>
constexpr bool is_scheduled() {
  using schedule = typename C::schedule_type;
  constexpr int micro_batches = micro_batches_of<C, Kind>;
  if constexpr (makes_in_pieces<schedule>(C::stages, micro_batches, purpose_of(Kind))) {
    return true;
  } else {
    return scheduled_by_compiler<C, Kind>;
  }
}

template <compiled_model C, program_kind Kind>
constexpr program_view find_actions() {
  using schedule = typename C::schedule_type;
  constexpr int micro_batches = micro_batches_of<C, Kind>;
  if constexpr (makes_in_pieces<schedule>(C::stages, micro_batches, purpose_of(Kind))) {
    return pieces::schedule_rows<schedule, C::settings.devices, C::stages, micro_batches,
                                 neighbouring_stages<C>>::rows;
  } else {
    return actions_at_once<C, Kind>.view();
  }
}

/// The same, frozen.
template <compiled_model C, program_kind Kind>
inline constexpr program_view actions_of = find_actions<C, Kind>();

/// The program that says where parameters lie: training if there is one.
template <compiled_model C>
inline constexpr program_kind leading_program =
    C::settings.has_loss ? program_kind::train : program_kind::predict;

/// How the backwards of a compiled model are lowered.
template <compiled_model C>
inline constexpr backward_form backward_form_of =
    splits_backward(actions_of<C, leading_program<C>>) ? backward_form::halves
                                                       : backward_form::whole;

/// How one of its programs is lowered.
template <compiled_model C, program_kind Kind>
inline constexpr backward_form form_of =
    Kind == program_kind::train ? backward_form_of<C> : backward_form::whole;

/// Where a compiled model's parameters lie, in all of its programs.
template <compiled_model C>
constexpr parameter_layout lay_out_compiled() {
  const program_view rows = actions_of<C, leading_program<C>>;
  return lay_out_parameters(planned_graph_of<C>.view(), rows.device_of_stage, rows.devices,
                            trained_buffers<C, backward_form_of<C>>());
}

template <compiled_model C>
inline constexpr frozen_parameter_layout<planned_graph_sizes_of<C>.tensors,
                                         planned_graph_sizes_of<C>.operands,
                                         static_cast<std::size_t>(C::settings.devices)>
    parameter_layout_of{lay_out_compiled<C>()};

/// The calls of a program of a compiled model, as it is executed.
template <compiled_model C, program_kind Kind>
constexpr lowered_view calls_of() {
  return lowered_of<C, Kind, form_of<C, Kind>>.view();
}

/// What the calls of a program of a compiled model access: only who looks at tiles asks for it. In
/// one evaluation it would exceed the steps that clang allows, so that it is listed in pieces.
template <compiled_model C, program_kind Kind>
struct listed_accesses {
  static constexpr std::size_t calls_of_piece = 224;
  static constexpr std::size_t pieces =
      (calls_of<C, Kind>().calls.size() + calls_of_piece - 1) / calls_of_piece;

  template <std::size_t Piece>
  static constexpr access_list list_piece() {
    constexpr auto begin = static_cast<std::int32_t>(Piece * calls_of_piece);
    constexpr auto end = static_cast<std::int32_t>(begin + calls_of_piece);
    return lower_program<C, Kind, form_of<C, Kind>>({begin, end}).made.accesses;
  }

  template <std::size_t Piece>
  static constexpr access_sizes sizes_of_piece = sizes_of(list_piece<Piece>());

  template <std::size_t Piece>
  static constexpr frozen_accesses<sizes_of_piece<Piece>> piece{list_piece<Piece>()};

  static constexpr access_sizes count() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      access_sizes sum;
      ((sum = sum_of(sum, sizes_of_piece<I>)), ...);
      return sum;
    }(std::make_index_sequence<pieces>());
  }

  static constexpr access_sizes sizes = count();

  static constexpr frozen_accesses<sizes> join() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      frozen_accesses<sizes> joined;
      access_sizes begin;
      ((joined.enter(piece<I>.view(), begin), begin = sum_of(begin, sizes_of_piece<I>)), ...);
      return joined;
    }(std::make_index_sequence<pieces>());
  }

  static constexpr frozen_accesses<sizes> value = join();
};

template <compiled_model C, program_kind Kind>
constexpr lowered_view calls_with_accesses_of() {
  lowered_view program = calls_of<C, Kind>();
  program.accesses = listed_accesses<C, Kind>::value.view();
  return program;
}

/// What is missing in the rules of the families of a program, or nothing.
template <compiled_model C, program_kind Kind>
struct definition_fault_of {
  static constexpr problem find() {
    const problem& asked = lowered_of<C, Kind, form_of<C, Kind>>.fault;
    return asked.found()
               ? asked
               : definition_check(planned_graph_of<C>.view(), calls_of<C, Kind>(), Kind).find();
  }

  static constexpr problem value = find();
};

/// A program without its slots, not yet proven.
template <compiled_model C, program_kind Kind>
constexpr program_plan unproven_plan_of() {
  return plan_calls(planned_graph_of<C>.view(), calls_of<C, Kind>(), actions_of<C, Kind>,
                    C::settings.micro_batch, parameter_layout_of<C>.view());
}

template <compiled_model C, program_kind Kind>
inline constexpr program_plan_sizes plan_sizes_of = sizes_of(unproven_plan_of<C, Kind>());

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
