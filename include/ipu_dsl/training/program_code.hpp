// SPDX-License-Identifier: MIT
// From the plan back to code: one function for each distinct kernel of a program.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <ipu_dsl/operators/dense.hpp>
#include <ipu_dsl/operators/elementwise.hpp>
#include <ipu_dsl/operators/results.hpp>
#include <ipu_dsl/operators/sgd.hpp>
#include <ipu_dsl/training/session_core.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The code of a program, one function for each distinct kernel.
template <std::size_t Count>
struct function_table {
  kernel_code functions[Count + 1] = {};

  constexpr std::span<const kernel_code> view() const { return {functions, Count}; }
};

/// Built by a consteval function, so that its long list of indices is part of no emitted name.
template <compiled_model C, program_kind Kind>
consteval auto make_functions() {
  constexpr std::size_t count = plan_sizes_of<C, Kind>.codes;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = frozen_plan_of<C, Kind>.codes;
    return function_table<count>{{{&operators<codes[I].rule>::template run<codes[I].signature>,
                                   has_grains<codes[I].rule, codes[I].signature>()}...,
                                  {}}};
  }(std::make_index_sequence<count>());
}

template <compiled_model C, program_kind Kind>
inline constexpr function_table<plan_sizes_of<C, Kind>.codes> functions_of =
    make_functions<C, Kind>();

/// A program and its code, or nothing for a program that a model without a loss does not have.
template <compiled_model C, program_kind Kind>
loaded_program load_program() {
  if constexpr (Kind == program_kind::predict || C::settings.loss != nullptr) {
    return {frozen_plan_of<C, Kind>.view(), functions_of<C, Kind>.view()};
  } else {
    return {};
  }
}

template <compiled_model C>
session_parts parts_of() {
  return {.model = frozen_compiled_graph_of<C>.view(),
          .settings = C::settings,
          .places = parameter_places_of<C>.view(),
          .train = load_program<C, program_kind::train>(),
          .evaluate = load_program<C, program_kind::evaluate>(),
          .predict = load_program<C, program_kind::predict>()};
}

/// The first family of a program that has no code, as a problem.
template <compiled_model C, program_kind Kind>
consteval problem missing_operators() {
  problem found;
  [&found]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = frozen_plan_of<C, Kind>.codes;
    const bool present[] = {has_operators<codes[I].rule>..., true};
    const std::string_view names[] = {codes[I].rule->name..., std::string_view()};
    for (std::size_t i = 0; i < sizeof...(I) && !found.found(); ++i) {
      if (!present[i]) {
        found = refuse("code for every family of layers", "none for this one",
                       "specialise operators<&its family> before the session is made");
        found.where = label("the family ") << names[i];
      }
    }
  }(std::make_index_sequence<plan_sizes_of<C, Kind>.codes>());
  return found;
}

/// What keeps a compiled model that is right from running.
template <compiled_model C>
struct operators_fault_of {
  static constexpr problem find() {
    if constexpr (!valid<C>()) {
      return {};
    } else if constexpr (C::settings.loss == nullptr) {
      return missing_operators<C, program_kind::predict>();
    } else {
      return missing_operators<C, program_kind::train>();
    }
  }

  static constexpr problem value = find();
};

/// Whether a compiled model is right and has code for everything; never an error.
template <compiled_model Compiled>
constexpr bool runnable() {
  using compiled = typename Compiled::compiled;
  return valid<compiled>() && !operators_fault_of<compiled>::value.found();
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
