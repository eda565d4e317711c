// SPDX-License-Identifier: MIT
// From the plan back to code: one function for each distinct kernel of a program.
#pragma once

#include <cstddef>

#include <ipu_dsl/operators/dense.hpp>
#include <ipu_dsl/operators/elementwise.hpp>
#include <ipu_dsl/operators/results.hpp>
#include <ipu_dsl/operators/update.hpp>
#include <ipu_dsl/runtime/kernel_table.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The function of a kernel, and whether workers can share a call of it.
struct host_code {
  using entry = kernel_code;

  template <const family* Family, auto Call, const family* Ending>
  static consteval entry of() {
    return {kernel_of<Family, Call, Ending>(), has_grains<Family, Call>()};
  }
};

/// The functions of a program, by distinct kernel.
template <compiled_model C, program_kind Kind>
inline constexpr const auto& functions_of = kernel_table_of<C, Kind, host_code>;

/// A program and its code, or nothing for a program that a model without a loss does not have.
template <compiled_model C, program_kind Kind>
constexpr loaded_program load_program() {
  if constexpr (Kind == program_kind::predict || C::settings.loss != nullptr) {
    return {frozen_plan_of<C, Kind>.view(), functions_of<C, Kind>.view()};
  } else {
    return {};
  }
}

/// Evaluated by the compiler: graph and settings, which point to families, are not there at run
/// time.
template <compiled_model C>
consteval session_parts parts_of() {
  return {.model = interface_of(frozen_compiled_graph_of<C>.view()),
          .settings = C::settings,
          .places = parameter_places_of<C>.view(),
          .train = load_program<C, program_kind::train>(),
          .evaluate = load_program<C, program_kind::evaluate>(),
          .predict = load_program<C, program_kind::predict>()};
}

/// What keeps a compiled model that is right from running.
template <compiled_model C>
struct operators_fault_of {
  static constexpr problem find() {
    if constexpr (!valid<C>()) {
      return {};
    } else if constexpr (C::settings.loss == nullptr) {
      return fault_of_kernels<C, program_kind::predict>();
    } else {
      return fault_of_kernels<C, program_kind::train>();
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
