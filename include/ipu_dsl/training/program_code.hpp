// SPDX-License-Identifier: MIT
// From the plan back to code: one function for each distinct kernel of a program.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <ipu_dsl/operators/dense.hpp>
#include <ipu_dsl/operators/elementwise.hpp>
#include <ipu_dsl/operators/results.hpp>
#include <ipu_dsl/operators/sgd.hpp>
#include <ipu_dsl/runtime/kernel_table.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The function of a kernel, and whether workers can share a call of it.
struct host_code {
  using entry = kernel_code;

  template <const family* Family, call_signature Signature>
  static consteval entry of() {
    return {&operators<Family>::template run<Signature>, has_grains<Family, Signature>()};
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

/// The first family of a program that has no code, as a problem.
template <compiled_model C, program_kind Kind>
consteval problem missing_operators() {
  problem found;
  [&found]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = planned_program_of<C, Kind>.codes;
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

/// The first family of a program whose code cannot be called as kernels are, or may throw, as a
/// problem: only a feed may throw. Every family has code.
template <compiled_model C, program_kind Kind>
consteval problem unfit_operators() {
  problem found;
  [&found]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = planned_program_of<C, Kind>.codes;
    const bool callable[] = {has_kernel<codes[I].rule, codes[I].signature>..., true};
    const bool silent[] = {runs_silently<codes[I].rule, codes[I].signature>..., true};
    const std::string_view names[] = {codes[I].rule->name..., std::string_view()};
    for (std::size_t i = 0; i < sizeof...(I) && !found.found(); ++i) {
      if (!callable[i]) {
        found = refuse("code that can be called as a kernel", "none of that kind",
                       "write template <call_signature Signature> static void run(const "
                       "run_context&, void* const* operands, const float* scalars) noexcept");
      } else if (!silent[i]) {
        found = refuse("code that is noexcept, since only a feed may throw", "run that may throw",
                       "say noexcept behind the parameters of operators<...>::run");
      }
      if (found.found()) {
        found.where = label("the family ") << names[i];
      }
    }
  }(std::make_index_sequence<plan_sizes_of<C, Kind>.codes>());
  return found;
}

/// What is wrong with the code of a program, if anything.
template <compiled_model C, program_kind Kind>
consteval problem fault_of_operators() {
  constexpr problem missing = missing_operators<C, Kind>();
  if constexpr (missing.found()) {
    return missing;
  } else {
    return unfit_operators<C, Kind>();
  }
}

/// What keeps a compiled model that is right from running.
template <compiled_model C>
struct operators_fault_of {
  static constexpr problem find() {
    if constexpr (!valid<C>()) {
      return {};
    } else if constexpr (C::settings.loss == nullptr) {
      return fault_of_operators<C, program_kind::predict>();
    } else {
      return fault_of_operators<C, program_kind::train>();
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
