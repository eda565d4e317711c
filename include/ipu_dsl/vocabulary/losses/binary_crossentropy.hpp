// SPDX-License-Identifier: MIT
// Cross-entropy of probabilities with targets that are probabilities, one by one.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/vocabulary/pointwise.hpp>
#include <ipu_dsl/vocabulary/scores.hpp>

namespace ipu_dsl {

/// Of logits x and targets z: max(x, 0) - x z + ln(1 + e^-|x|), as TensorFlow has it, whose
/// derivative is 1 / (1 + e^-x) - z. Of probabilities p, clipped to [1e-7, 1 - 1e-7]:
/// -z ln(p + 1e-7) - (1 - z) ln(1 - p + 1e-7), as Keras has it.
struct binary_crossentropy_rule {
  score_kind scores = score_kind::logits;
  float smoothing = 0;  ///< share of a target that becomes 1/2

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector smoothed(const Vector& wanted) const {
    return Math::multiply_add(wanted, Vector(1.0F - smoothing), Vector(0.5F * smoothing));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector clipped(const Vector& probability) {
    const Vector high(1.0F - keras_epsilon);
    return Math::minimum(high, Math::maximum(Vector(keras_epsilon), probability));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector of_logits(const Vector& logit, const Vector& target) {
    const Vector zero(0.0F);
    const Vector remainder = Math::exponential(zero - Math::magnitude(logit));
    const Vector linear = Math::multiply_add(zero - logit, target, Math::maximum(zero, logit));
    return linear + Math::logarithm_of_one_plus(remainder);
  }

  /// The logarithm of the likelihood.
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector likelihood(const Vector& probability, const Vector& target) {
    const Vector one(1.0F);
    const Vector offset(keras_epsilon);
    const Vector of_no = (one - target) * Math::logarithm((one - probability) + offset);
    return Math::multiply_add(target, Math::logarithm(probability + offset), of_no);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& predicted,
                                    const Vector& wanted) const {
    const Vector target = smoothed<Math>(wanted);
    if (scores == score_kind::logits) {
      return sum + of_logits<Math>(predicted, target);
    }
    return sum - likelihood<Math>(clipped<Math>(predicted), target);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector slope(const Vector& predicted, const Vector& wanted) const {
    const Vector zero(0.0F);
    const Vector one(1.0F);
    const Vector target = smoothed<Math>(wanted);
    if (scores == score_kind::logits) {
      return Math::logistic(predicted) - target;
    }
    const Vector offset(keras_epsilon);
    const Vector kept = clipped<Math>(predicted);
    const Vector of_yes = Math::divide(target, kept + offset);
    const Vector of_no = Math::divide(one - target, (one - kept) + offset);
    return Math::choose(kept == predicted, of_no - of_yes, zero);
  }
};

namespace binary_crossentropy_rules {

constexpr problem shapes(node_draft& draft) {
  const auto rule = draft.options<binary_crossentropy_rule>();
  const problem unfit = check_smoothing(rule.smoothing);
  if (unfit.found()) {
    return unfit;
  }
  const problem found = choose_scores<binary_crossentropy_rule>(draft, activation_kind::sigmoid);
  return found.found() ? found : pointwise_rules::shapes(draft);
}

}  // namespace binary_crossentropy_rules

inline constexpr family binary_crossentropy_family{
    .name = "binary_crossentropy",
    .shapes = binary_crossentropy_rules::shapes,
    .forward = pointwise_rules::forward,
    .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&binary_crossentropy_family> {
  using type = binary_crossentropy_rule;
};

/// `loss<binary_crossentropy>` of float targets in [0, 1] shaped like the output, a mean over the
/// numbers of a sample and over samples; the same as a metric. Options: `from_logits` (the
/// default), `from_probabilities`, `from_clipped_probabilities`, and `label_smoothing<0.1F>`.
/// Behind a layer `sigmoid` it is computed from the logits before it; of a sigmoid or a softmax
/// that was asked for otherwise from clipped probabilities. Those of `Dense<1, sigmoid>` are
/// clipped where the sigmoid saturates, and there the gradient is zero: a sample that is judged
/// wrong with certainty teaches nothing. Write `Dense<1>, sigmoid`, or `Dense<1>` and take logits.
struct binary_crossentropy {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &binary_crossentropy_family;
  static constexpr list_view<const option_key*> accepted{smoothed_keys};

  template <std::size_t Count>
  static constexpr binary_crossentropy_rule read(const option_list<Count>& given) {
    return {static_cast<score_kind>(given.integer(scores_key, 0)),
            given.number(label_smoothing_key, 0)};
  }
};

}  // namespace ipu_dsl
