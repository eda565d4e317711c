// SPDX-License-Identifier: MIT
// Cross-entropy of class scores with targets that are probabilities of the classes.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/vocabulary/rowwise.hpp>
#include <ipu_dsl/vocabulary/scores.hpp>

namespace ipu_dsl {

/// Minus the sum of y ln softmax(x) of logits x, whose derivative is softmax(x) sum(y) - y. Of
/// probabilities p, as Keras has it, minus the sum of y ln q, where q is p / sum(p) clipped to
/// [1e-7, 1 - 1e-7].
struct categorical_crossentropy_rule {
  score_kind scores = score_kind::logits;
  float smoothing = 0;  ///< share of a target that is dealt over all classes

  template <typename Row>
  [[gnu::always_inline]] auto judge(const Row& row) const {
    return scores == score_kind::logits ? of_logits(row) : of_probabilities(row);
  }

  template <typename Row, typename Vector>
  [[gnu::always_inline]] Vector smoothed(const Row& row, const Vector& wanted) const {
    using math = typename Row::math;
    const float rest = smoothing / static_cast<float>(row.units);
    return math::multiply_add(wanted, Vector(1.0F - smoothing), Vector(rest));
  }

  template <typename Row>
  [[gnu::always_inline]] float sum_of_targets(const Row& row) const {
    return row.sum([&]<typename Vector>(const Vector& sum, const Vector&, const Vector& wanted)
                       __attribute__((always_inline)) { return sum + smoothed(row, wanted); });
  }

  template <typename Row>
  [[gnu::always_inline]] auto of_logits(const Row& row) const {
    using math = typename Row::math;
    const float largest = row.largest([]<typename Vector>(const Vector& predicted, const Vector&)
                                          __attribute__((always_inline)) { return predicted; });
    const float exponentials =
        row.sum([&]<typename Vector>(const Vector& sum, const Vector& predicted, const Vector&)
                    __attribute__((always_inline)) {
                      return sum + math::exponential(predicted - Vector(largest));
                    });
    const float of_wanted =
        row.sum([&]<typename Vector>(const Vector& sum, const Vector& predicted,
                                     const Vector& wanted) __attribute__((always_inline)) {
          return math::multiply_add(smoothed(row, wanted), predicted - Vector(largest), sum);
        });
    const float total = sum_of_targets(row);
    const auto slope = [&]<typename Vector>(const Vector& predicted,
                                            const Vector& wanted) __attribute__((always_inline)) {
      const Vector power = math::exponential(predicted - Vector(largest));
      const Vector share = math::divide(power, Vector(exponentials));
      return math::multiply_add(share, Vector(total), Vector(0.0F) - smoothed(row, wanted));
    };
    return row.loss(math::multiply_add(math::logarithm(exponentials), total, 0.0F - of_wanted),
                    slope);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector clipped(const Vector& share) {
    const Vector high(1.0F - keras_epsilon);
    return Math::minimum(high, Math::maximum(Vector(keras_epsilon), share));
  }

  template <typename Row>
  [[gnu::always_inline]] auto of_probabilities(const Row& row) const {
    using math = typename Row::math;
    const float whole =
        row.sum([]<typename Vector>(const Vector& sum, const Vector& predicted, const Vector&)
                    __attribute__((always_inline)) { return sum + predicted; });
    const float likelihood =
        row.sum([&]<typename Vector>(const Vector& sum, const Vector& predicted,
                                     const Vector& wanted) __attribute__((always_inline)) {
          const Vector q = clipped<math>(math::divide(predicted, Vector(whole)));
          return math::multiply_add(smoothed(row, wanted), math::logarithm(q), sum);
        });
    // What is clipped does not change the loss, but for the sum that it is a part of.
    const float kept =
        row.sum([&]<typename Vector>(const Vector& sum, const Vector& predicted,
                                     const Vector& wanted) __attribute__((always_inline)) {
          const Vector q = math::divide(predicted, Vector(whole));
          return sum + math::choose(clipped<math>(q) == q, smoothed(row, wanted), Vector(0.0F));
        });
    const auto slope = [&]<typename Vector>(const Vector& predicted, const Vector& wanted)
                           __attribute__((always_inline)) {
                             const Vector zero(0.0F);
                             const Vector q = math::divide(predicted, Vector(whole));
                             const Vector own = math::divide(smoothed(row, wanted), q);
                             const Vector counted = math::choose(clipped<math>(q) == q, own, zero);
                             return math::divide(Vector(kept) - counted, Vector(whole));
                           };
    return row.loss(0.0F - likelihood, slope);
  }
};

namespace categorical_crossentropy_rules {

constexpr problem shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  problem unfit = last_axis_rules::check_classes(draft, "of one score take binary_crossentropy");
  if (!unfit.found()) {
    unfit = check_smoothing(draft.options<categorical_crossentropy_rule>().smoothing);
  }
  if (unfit.found()) {
    return unfit;
  }
  draft.target(scores, dtype::float32);
  draft.result(2);
  return choose_scores<categorical_crossentropy_rule>(draft, activation_kind::softmax);
}

}  // namespace categorical_crossentropy_rules

inline constexpr family categorical_crossentropy_family{
    .name = "categorical_crossentropy",
    .shapes = categorical_crossentropy_rules::shapes,
    .forward = rowwise_rules::forward,
    .input_gradient = rowwise_rules::input_gradient,
    .reads = {storage::positions}};

template <>
struct row_rule<&categorical_crossentropy_family> {
  using type = categorical_crossentropy_rule;
};

/// `loss<categorical_crossentropy>` of float targets, a probability for each class, a mean over
/// samples, and over positions that have classes of their own; the same as a metric. Options:
/// `from_logits` (the default), `from_probabilities`, `from_clipped_probabilities`, and
/// `label_smoothing<0.1F>`. Behind a softmax it is computed from the logits before it, whatever was
/// asked.
struct categorical_crossentropy {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &categorical_crossentropy_family;
  static constexpr list_view<const option_key*> accepted{smoothed_keys};

  template <std::size_t Count>
  static constexpr categorical_crossentropy_rule read(const option_list<Count>& given) {
    return {static_cast<score_kind>(given.integer(scores_key, 0)),
            given.number(label_smoothing_key, 0)};
  }
};

}  // namespace ipu_dsl
