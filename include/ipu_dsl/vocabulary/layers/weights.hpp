// SPDX-License-Identifier: MIT
// What layers with a kernel and a bias have in common: options, and how a gradient ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/asked_of_weights.hpp>
#include <ipu_dsl/vocabulary/layers/initialization.hpp>

namespace ipu_dsl {

inline constexpr option_key use_bias_key{"use_bias"};

template <auto Value>
struct use_bias {
  static constexpr option as_option = bool_option<Value>(&use_bias_key);
};

/// How a parameter starts by the options of its layer.
template <std::size_t Count>
constexpr initializer start_of(const option_list<Count>& given, const option_key& key,
                               const initializer& otherwise) {
  return *given.start(key, &otherwise);
}

/// The rule for `family::activation` of layers whose options have it as a member of that name.
template <typename Options>
constexpr told_activation activation_in(const attributes& options) {
  return {true, options.as<Options>().activation};
}

/// The rule for `family::folds_channels` of layers of a kernel and a bias, if their options say as
/// `has_bias` whether there is one.
template <typename Options>
constexpr bool folds_with_bias(attributes& options) {
  auto changed = options.as<Options>();
  changed.has_bias = 1;
  options = attributes::of(changed);
  return true;
}

/// What a node with weights computes itself of an activation. One whose gradient needs more than
/// the output is a node of its own behind it.
constexpr activation_kind fused_activation(activation_kind wanted) {
  return gradient_from_output(wanted) ? wanted : activation_kind::linear;
}

/// What it puts its output through in the forward pass: its own activation, or the one behind it
/// that it applies.
constexpr activation_kind forward_activation(const emitter& emit, activation_kind own) {
  const activation_kind behind = emit.applies(0);
  return behind == activation_kind::linear ? own : behind;
}

/// The node of its own that an activation is where it is not fused.
constexpr element separate_activation_of(activation_kind wanted, float alpha) {
  return activation_element(wanted, alpha);
}

/// Unknown options, options set twice, and options without effect, of a layer with an activation
/// and a bias.
template <std::size_t Count>
constexpr problem find_weights_fault(const option_list<Count>& given,
                                     list_view<const option_key*> accepted,
                                     activation_kind otherwise = activation_kind::linear) {
  const auto kind = static_cast<activation_kind>(
      given.integer(activation_key, static_cast<std::int32_t>(otherwise)));
  problem found = given.find_fault(accepted);
  if (!found.found()) {
    found = check_alpha(given.given(alpha_key), kind);
  }
  for (const option_key* const key :
       {&bias_init_key, &bias_regularizer_key, &bias_constraint_key}) {
    if (!found.found() && given.given(*key) && given.integer(use_bias_key, 1) == 0) {
      found = refuse(label("a bias beside ") << key->name << "<...>", "use_bias<false>",
                     "take one of them out");
    }
  }
  return found;
}

/// The parameter and what the optimizer keeps of it, where the call ends with its update; `seen` as
/// extents if the rule does not see its own.
constexpr void update_parameter(const emitter& emit, call_draft& call, const family* ending,
                                std::int32_t parameter, std::initializer_list<reach> at,
                                const shape& seen = {}) {
  if (is_null(ending)) {
    return;
  }
  const shape& extents = seen.rank > 0 ? seen : emit.parameter(parameter).extents;
  call.updates(emit.parameter_value(parameter).as(extents), at);
  for (std::int32_t slot = 0; slot < ending->kept.count(); ++slot) {
    call.updates(emit.optimizer_slot(parameter, slot).as(extents), at);
  }
}

}  // namespace ipu_dsl
