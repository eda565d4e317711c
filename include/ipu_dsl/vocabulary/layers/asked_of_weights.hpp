// SPDX-License-Identifier: MIT
// What the options of a layer ask of its parameters beside their gradients, and of its output.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/constraints.hpp>
#include <ipu_dsl/vocabulary/layers/regularization.hpp>

namespace ipu_dsl {

/// A parameter by its name in the rules for shapes, and which options ask something of it.
struct askable_parameter {
  std::string_view name;
  const option_key* regularizer;
  const option_key* constraint;
};

inline constexpr askable_parameter askable_parameters[weight_rules::most] = {
    {"kernel", &kernel_regularizer_key, &kernel_constraint_key},
    {"recurrent_kernel", &recurrent_regularizer_key, &recurrent_constraint_key},
    {"bias", &bias_regularizer_key, &bias_constraint_key},
    {"recurrent_bias", &bias_regularizer_key, &bias_constraint_key},
    {"embeddings", &embeddings_regularizer_key, &embeddings_constraint_key},
    {"gamma", &gamma_regularizer_key, &gamma_constraint_key},
    {"beta", &beta_regularizer_key, &beta_constraint_key}};

/// Of one of its parameters; of an output, which has no constraint.
template <std::size_t Count>
constexpr parameter_rules rules_of(const option_list<Count>& given, const option_key* regularizer,
                                   const option_key* constraint) {
  const parameter_rules* const bounds = is_null(constraint) ? nullptr : given.rules(*constraint);
  const parameter_rules* const penalty = given.rules(*regularizer);
  parameter_rules found = is_null(bounds) ? parameter_rules{} : *bounds;
  if (!is_null(penalty)) {
    found.l1 = penalty->l1;
    found.l2 = penalty->l2;
  }
  return found;
}

/// Of all.
template <std::size_t Count>
constexpr weight_rules read_weight_rules(const option_list<Count>& given) {
  weight_rules found;
  for (std::size_t i = 0; i < weight_rules::most; ++i) {
    const askable_parameter& each = askable_parameters[i];
    found.entries[i] = {each.name, rules_of(given, each.regularizer, each.constraint)};
  }
  found.output = rules_of(given, &activity_regularizer_key, nullptr);
  return found;
}

template <typename... Options>
inline constexpr weight_rules weight_rules_of = read_weight_rules(options_of<Options...>);

/// The same, or null if they ask nothing.
template <typename... Options>
constexpr const weight_rules* find_weight_rules() {
  constexpr const auto& given = options_of<Options...>;
  bool any = given.given(activity_regularizer_key);
  for (const askable_parameter& each : askable_parameters) {
    any = any || given.given(*each.regularizer) || given.given(*each.constraint);
  }
  return any ? &weight_rules_of<Options...> : nullptr;
}

}  // namespace ipu_dsl
