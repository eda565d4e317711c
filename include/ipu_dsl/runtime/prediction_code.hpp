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

  template <const family* Family, auto Call, const family* Ending>
  static consteval entry of() {
    if constexpr (is_end(*Family)) {
      return nullptr;
    } else {
      return kernel_of<Family, Call, Ending>();
    }
  }
};

template <compiled_model C>
inline constexpr const auto& prediction_functions_of =
    kernel_table_of<C, program_kind::predict, prediction_code>;

/// What is wrong with a model for a predictor, beyond what `check` says.
template <compiled_model C>
struct prediction_fault_of {
  static constexpr problem find() {
    if constexpr (!is_valid<C>()) {
      return {};
    } else {
      return fault_of_kernels<C, program_kind::predict>();
    }
  }

  static constexpr problem value = find();
};

/// Whether a model can be predicted; never an error.
template <typename C>
constexpr bool predictable() {
  if constexpr (compiled_model<C>) {
    return is_valid<C>() && !prediction_fault_of<C>::value.found();
  } else {
    return false;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
