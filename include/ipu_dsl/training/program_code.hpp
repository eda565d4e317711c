// SPDX-License-Identifier: MIT
// From the plan back to code: all that a session is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/runtime/kernel_table.hpp>
#include <ipu_dsl/training/session_parts.hpp>
#include <ipu_dsl/training/stage_definition.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Where the code of each stage is, compiled here or in another source.
template <compiled_model Compiled, program_kind Kind>
struct code_of_stages {
  static constexpr std::size_t count = static_cast<std::size_t>(Compiled::compiled::stages);

  some_functions (*stages[count])();

  constexpr list_view<some_functions (*)()> view() const { return {stages, count}; }
};

template <compiled_model Compiled, program_kind Kind>
consteval code_of_stages<Compiled, Kind> find_code_of_stages() {
  return []<std::int32_t... Stage>(std::integer_sequence<std::int32_t, Stage...>) {
    if constexpr (Kind == program_kind::train) {
      return code_of_stages<Compiled, Kind>{{&stage_code<Compiled, Stage>::train...}};
    } else if constexpr (Kind == program_kind::evaluate) {
      return code_of_stages<Compiled, Kind>{{&stage_code<Compiled, Stage>::evaluate...}};
    } else {
      return code_of_stages<Compiled, Kind>{{&stage_code<Compiled, Stage>::predict...}};
    }
  }(std::make_integer_sequence<std::int32_t, Compiled::compiled::stages>());
}

template <compiled_model Compiled, program_kind Kind>
inline constexpr code_of_stages<Compiled, Kind> code_of_stages_of =
    find_code_of_stages<Compiled, Kind>();

/// The tensors of what losses, penalties of outputs and metrics count: [results].
template <compiled_model C>
constexpr list<std::int32_t> result_tensors() {
  list<std::int32_t> found;
  const graph_view model = planned_graph_of<C>.view();
  for (const node& here : model.nodes) {
    if (here.purpose != node_purpose::layer) {
      found.push_back(model.output_of(here, 0));
    }
  }
  return found;
}

template <compiled_model C>
inline constexpr std::size_t result_count = result_tensors<C>().size();

/// Where a program puts the results.
template <compiled_model C, program_kind Kind>
constexpr list<placement> result_placements() {
  list<placement> found;
  const program_plan_view plan = frozen_plan_of<C, Kind>.view();
  const list_view<buffer> buffers = calls_of<C, Kind>().buffers;
  for (const std::int32_t tensor : result_tensors<C>()) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].role == buffer_role::value && buffers[i].tensor == tensor) {
        found.push_back(plan.placements[i]);
      }
    }
  }
  return found;
}

template <compiled_model C, program_kind Kind>
inline constexpr frozen_list<placement, result_count<C>> result_placements_of =
    freeze_list<result_count<C>>(result_placements<C, Kind>());

/// What a result is called: of one output after its family, of several after the output as well.
template <compiled_model C, std::size_t Index>
constexpr label name_result() {
  const graph_view model = planned_graph_of<C>.view();
  const node& judge = model.node_at(model.at(result_tensors<C>()[Index]).producer);
  if (judge.purpose == node_purpose::penalty) {
    return "penalty";
  }
  std::string_view own = "loss";
  if (judge.purpose == node_purpose::metric) {
    // Metrics are the last.
    constexpr std::size_t others = result_count<C> - C::settings.metrics.size();
    own = name_of(C::settings.metrics[Index - others]);
  }
  return reported_name(model.outputs.size(), model.name_of_output(judge.judged), own);
}

template <compiled_model C, std::size_t Index>
inline constexpr label result_name = name_result<C, Index>();

/// How often the mean of a loss stands in what its reduction gives; 1 of a metric.
template <compiled_model C>
constexpr std::int64_t means_of(const node& judge) {
  const graph_view model = planned_graph_of<C>.view();
  for (const result_choice& loss : C::settings.losses) {
    if (judge.purpose == node_purpose::loss && model.find_output(loss.output) == judge.judged) {
      const tensor& output = model.at(model.output(judge.judged));
      return means_in(loss, output.extents, C::settings.micro_batch);
    }
  }
  return 1;
}

/// What becomes of result `Index`.
template <compiled_model C, std::size_t Index>
consteval result_code result_code_of() {
  constexpr graph_view model = planned_graph_of<C>.view();
  constexpr const tensor& counted = model.at(result_tensors<C>()[Index]);
  constexpr const node& judge = model.node_at(counted.producer);
  return {.name = result_name<C, Index>.view(),
          .is_loss = is_minimised(judge.purpose),
          .is_reported = judge.purpose != node_purpose::penalty,
          .weight = judge.weight,
          .means = static_cast<double>(means_of<C>(judge)),
          .numbers = counted.extents[0],
          .final_value = final_value_of<judge.rule, judge.options>(),
          .reported = reported_of<judge.rule>(counted.extents[0]),
          .final_values = final_values_of<judge.rule>()};
}

template <compiled_model C>
consteval frozen_list<result_code, result_count<C>> make_result_codes() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return frozen_list<result_code, result_count<C>>{{result_code_of<C, I>()...}};
  }(std::make_index_sequence<result_count<C>>());
}

template <compiled_model C>
inline constexpr frozen_list<result_code, result_count<C>> result_codes_of = make_result_codes<C>();

/// A program and its code, or nothing for a program that a model without a loss does not have.
template <compiled_model Compiled, program_kind Kind>
constexpr loaded_program load_program() {
  using C = typename Compiled::compiled;
  if constexpr (Kind == program_kind::predict) {
    return {frozen_plan_of<C, Kind>.view(), code_of_stages_of<Compiled, Kind>.view(), {}};
  } else if constexpr (C::settings.has_loss) {
    return {frozen_plan_of<C, Kind>.view(), code_of_stages_of<Compiled, Kind>.view(),
            result_placements_of<C, Kind>.view()};
  } else {
    return {};
  }
}

/// Whether a parameter of a model adds to the loss.
template <compiled_model C>
constexpr bool has_penalties() {
  for (const parameter_place& place : parameter_places_of<C>.view()) {
    if (!is_null(place.stored.rules) && place.stored.rules->penalizes()) {
      return true;
    }
  }
  return false;
}

/// What such parameters add; without any no code is compiled for it.
template <compiled_model C>
consteval penalty_function penalty_code_of() {
  if constexpr (C::settings.has_loss && has_penalties<C>()) {
    return &penalty_of;
  } else {
    return nullptr;
  }
}

/// What saved training is known by.
template <compiled_model C>
consteval training_identity identity_of() {
  if constexpr (C::settings.has_loss) {
    return {C::optimizer_type::rule->name,
            number_of_model(planned_graph_of<C>.view(), C::settings.mean_gradients),
            std::int64_t{C::settings.micro_batch} * C::settings.micro_batches_of_update()};
  } else {
    return {};
  }
}

/// Evaluated by the compiler: graph and settings, which point to families, are not there at run
/// time.
template <compiled_model Compiled>
consteval session_parts parts_of() {
  using C = typename Compiled::compiled;
  return {.model = interface_of(planned_graph_of<C>.view()),
          .settings = C::settings,
          .places = parameter_places_of<C>.view(),
          .identity = identity_of<C>(),
          .kept = kept_places_of<C>.view(),
          .gradients = gradient_places_of<C>.view(),
          .penalty = penalty_code_of<C>(),
          .results = result_codes_of<C>.view(),
          .train = load_program<Compiled, program_kind::train>(),
          .evaluate = load_program<Compiled, program_kind::evaluate>(),
          .predict = load_program<Compiled, program_kind::predict>()};
}

/// What keeps a compiled model that is right from running.
template <compiled_model C>
struct operators_fault_of {
  static constexpr problem find() {
    if constexpr (!is_valid<C>()) {
      return {};
    } else if constexpr (!C::settings.has_loss) {
      return fault_of_kernels<C, program_kind::predict>();
    } else {
      return fault_of_kernels<C, program_kind::train>();
    }
  }

  static constexpr problem value = find();
};

/// What the proof finds of the forward programs of a compiled model that is right: a session plans
/// them anyway, a check does not.
template <compiled_model C>
struct forward_fault_of {
  static constexpr problem find() {
    problem found;
    if constexpr (is_valid<C>() && C::settings.has_loss) {
      found = planned_program_of<C, program_kind::predict>.fault;
      if (!found.found()) {
        found = planned_program_of<C, program_kind::evaluate>.fault;
      }
      if (found.found()) {
        found.where << " in make_forward";
      }
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Whether a compiled model is right and has code for everything; never an error.
template <compiled_model Compiled>
constexpr bool runnable() {
  using compiled = typename Compiled::compiled;
  return is_valid<compiled>() && !operators_fault_of<compiled>::value.found() &&
         !forward_fault_of<compiled>::value.found();
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
