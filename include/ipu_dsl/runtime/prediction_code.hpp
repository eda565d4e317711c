// SPDX-License-Identifier: MIT
// From a prediction to its code, and what keeps a kernel from the path of a predictor.
#pragma once

#include <cstddef>
#include <utility>

#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/runtime/kernel_table.hpp>
#include <ipu_dsl/runtime/prediction.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Whether a family's kernel is none: the caller's memory takes its place.
constexpr bool is_end(const family& rule) {
  return transfer_of(rule) != transfer_kind::none;
}

/// The function of a kernel; null for what the caller's memory does.
struct prediction_code {
  using entry = kernel_function;

  template <const family* Family, call_signature Signature>
  static consteval entry of() {
    if constexpr (is_end(*Family)) {
      return nullptr;
    } else {
      return &operators<Family>::template run<Signature>;
    }
  }
};

template <compiled_model C>
inline constexpr const auto& prediction_functions_of =
    kernel_table_of<C, program_kind::predict, prediction_code>;

/// What keeps a kernel from the path of a predictor.
template <compiled_model C, std::size_t Index>
consteval problem prediction_fault() {
  constexpr const code& kernel = planned_program_of<C, program_kind::predict>.codes[Index];
  problem found;
  if constexpr (is_end(*kernel.rule)) {
    return found;
  } else if constexpr (!has_operators<kernel.rule>) {
    found = refuse("code for every family of layers", "none for this one",
                   "specialise operators<&its family> before the predictor is made");
  } else if constexpr (!noexcept(operators<kernel.rule>::template run<kernel.signature>(
                           run_context{}, nullptr, nullptr))) {
    found = refuse("code that is noexcept, since a predictor never throws", "run that may throw",
                   "say noexcept behind the parameters of operators<...>::run");
  }
  if (found.found()) {
    found.where = label("the family ") << kernel.rule->name;
  }
  return found;
}

/// What is wrong with a model for a predictor, beyond what `check` says.
template <compiled_model C>
struct prediction_fault_of {
  static constexpr problem find() {
    if constexpr (!valid<C>()) {
      return {};
    } else {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        const problem all[] = {prediction_fault<C, I>()..., {}};
        for (const problem& found : all) {
          if (found.found()) {
            return found;
          }
        }
        return refuse_writing();
      }(std::make_index_sequence<plan_sizes_of<C, program_kind::predict>.codes>());
    }
  }

  /// Predictors share weights, in memory that may be constant.
  static constexpr problem refuse_writing() {
    problem found;
    if (prediction_of<C>.facts.writes_weights) {
      found = refuse("calls that only read parameters and states", "one that writes them",
                     "predict this model with a session");
      found.where = "the model";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Whether a model can be predicted; never an error.
template <typename C>
constexpr bool predictable() {
  if constexpr (compiled_model<C>) {
    return valid<C>() && !prediction_fault_of<C>::value.found();
  } else {
    return false;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
