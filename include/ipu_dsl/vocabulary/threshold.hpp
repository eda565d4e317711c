// SPDX-License-Identifier: MIT
// From which probability on a metric takes an output for a yes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

inline constexpr option_key threshold_key{
    "threshold", "metric<binary_accuracy, threshold<0.7F>>, or so of precision and recall"};

/// An output above this says yes: `metric<precision, threshold<0.7F>>`. Keras's default is 0.5,
/// which is refused of logits: of them `threshold<0.0F>` says what 0.5 says of their sigmoid.
template <auto Value>
struct threshold {
  static constexpr option as_option = real_option(&threshold_key, Value);
};

/// What metrics that take a threshold accept.
inline constexpr const option_key* threshold_keys[] = {&threshold_key};

/// What the rules of metrics begin with that take a threshold.
struct threshold_of_yes {
  float threshold = 0.5F;      ///< an output above it says yes
  std::int32_t is_stated = 0;  ///< 1: so that it is meant, of logits too
};

template <std::size_t Count>
constexpr threshold_of_yes read_threshold(const option_list<Count>& given) {
  return {given.number(threshold_key, 0.5F), given.given(threshold_key) ? 1 : 0};
}

/// Of metrics whose thresholds are probabilities: what a layer makes that could have an
/// activation, and has none, are no probabilities.
constexpr problem check_probabilities(
    node_draft& draft, const text<191>& hint =
                           "end the model in sigmoid: binary_crossentropy trains on the logits "
                           "before it") {
  const node* const last = draft.activated_by(0);
  if (is_null(last)) {
    return {};
  }
  const told_activation said = last->rule->activation(last->options);
  if (!said.told || said.kind != activation_kind::linear) {
    return {};
  }
  return refuse("probabilities",
                label("the linear output of ") << last->rule->describe(*last->rule, last->options),
                hint);
}

/// Keras refuses what is no probability; a threshold that nobody stated is one of probabilities.
constexpr problem check_threshold(node_draft& draft) {
  const auto chosen = draft.options<threshold_of_yes>();
  if (!(chosen.threshold >= 0.0F && chosen.threshold <= 1.0F)) {
    return refuse("a threshold of at least 0 and at most 1", label() << chosen.threshold,
                  "threshold<0.5F> is the default");
  }
  if (chosen.is_stated != 0) {
    return {};
  }
  return check_probabilities(draft,
                             "end the model in sigmoid, which binary_crossentropy sees through, or "
                             "state a threshold: threshold<0.0F> is that of logits");
}

}  // namespace ipu_dsl
