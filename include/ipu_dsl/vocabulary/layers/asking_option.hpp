// SPDX-License-Identifier: MIT
// How the options are read that ask something of a parameter: regularizers and constraints.
#pragma once

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>

namespace ipu_dsl {

/// The option under this key by which `Asked`, a regularizer or a constraint, asks for `rules`.
template <typename Asked>
constexpr option asking_option(const option_key* key, const parameter_rules* rules) {
  if constexpr (requires { Asked::fault.found(); }) {
    if (Asked::fault.found()) {
      return {.key = key, .fault = &Asked::fault};
    }
  }
  return {.key = key, .rules = rules};
}

}  // namespace ipu_dsl
