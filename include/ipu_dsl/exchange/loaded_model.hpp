// SPDX-License-Identifier: MIT
// What is said where a file of weights is loaded for something else than a model.
#pragma once

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl::exchange {

/// What is wrong with what stands between the brackets of a call, `load_keras<...>`, or with none.
template <typename T, fixed_string Call>
struct loaded_type_fault_of {
  static constexpr problem find() {
    problem found = refuse("a model", type_name<T>());
    found.where = label(Call.view()) << "<...>";
    if constexpr (requires { typename T::compiled; }) {
      found.hint << "it is compiled for a session: name the model that it was compiled from";
    } else {
      found.hint << "write " << Call.view() << "<mlp>(run.weights(), path) for a struct mlp";
    }
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl::exchange
