// SPDX-License-Identifier: MIT
// What the options of a layer ask of its parameters beside their gradients, and of its output.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/vocabulary/layers/constraints.hpp>
#include <ipu_dsl/vocabulary/layers/regularization.hpp>

namespace ipu_dsl {

/// Of one of its parameters.
template <std::size_t Count>
constexpr parameter_rules rules_of(const option_list<Count>& given, const option_key& regularizer,
                                   const option_key& constraint) {
  return {.l1 = std::bit_cast<float>(given.integer(regularizer, 0)),
          .l2 = given.number(regularizer, 0),
          .constraint = static_cast<constraint_kind>(given.integer(constraint, 0)),
          .limit = given.number(constraint, 0)};
}

/// The penalty of the layer's output.
template <std::size_t Count>
constexpr parameter_rules rules_of_output(const option_list<Count>& given) {
  return {.l1 = std::bit_cast<float>(given.integer(activity_regularizer_key, 0)),
          .l2 = given.number(activity_regularizer_key, 0)};
}

/// Of all.
template <typename... Options>
inline constexpr weight_rules weight_rules_of = {
    {{"kernel", rules_of(options_of<Options...>, kernel_regularizer_key, kernel_constraint_key)},
     {"recurrent_kernel",
      rules_of(options_of<Options...>, recurrent_regularizer_key, recurrent_constraint_key)},
     {"bias", rules_of(options_of<Options...>, bias_regularizer_key, bias_constraint_key)}},
    rules_of_output(options_of<Options...>)};

/// The same, or null if they ask nothing.
template <typename... Options>
constexpr const weight_rules* find_weight_rules() {
  constexpr const auto& given = options_of<Options...>;
  bool any = false;
  for (const option_key* const key :
       {&kernel_regularizer_key, &recurrent_regularizer_key, &bias_regularizer_key,
        &kernel_constraint_key, &recurrent_constraint_key, &bias_constraint_key,
        &activity_regularizer_key}) {
    any = any || given.given(*key);
  }
  return any ? &weight_rules_of<Options...> : nullptr;
}

}  // namespace ipu_dsl
