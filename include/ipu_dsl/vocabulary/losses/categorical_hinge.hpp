// SPDX-License-Identifier: MIT
// The margin by which the wanted class fails to be the best one.
#pragma once

#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl {

/// max(0, 1 + largest (1 - y) p - sum of y p), as Keras has it. Of numbers that are the largest
/// alike each has its share of the derivative, as in TensorFlow.
struct categorical_hinge_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector of_others(const Vector& predicted, const Vector& wanted) {
    return (Vector(1.0F) - wanted) * predicted;
  }

  template <typename Row>
  [[gnu::always_inline]] static auto judge(const Row& row) {
    using math = typename Row::math;
    const float of_wanted = row.sum(
        []<typename Vector>(const Vector& sum, const Vector& predicted, const Vector& wanted)
            __attribute__((always_inline)) { return math::multiply_add(predicted, wanted, sum); });
    const float largest = row.largest(
        []<typename Vector>(const Vector& predicted, const Vector& wanted)
            __attribute__((always_inline)) { return of_others<math>(predicted, wanted); });
    const float missed = (largest - of_wanted) + 1.0F;
    const float active = missed >= 0.0F ? 1.0F : 0.0F;
    const float alike =
        row.sum([&]<typename Vector>(const Vector& sum, const Vector& predicted,
                                     const Vector& wanted) __attribute__((always_inline)) {
          const Vector other = of_others<math>(predicted, wanted);
          return sum + math::choose(other == Vector(largest), Vector(1.0F), Vector(0.0F));
        });
    const float share = math::divide(active, alike);
    const auto slope = [&]<typename Vector>(const Vector& predicted,
                                            const Vector& wanted) __attribute__((always_inline)) {
      const Vector zero(0.0F);
      const Vector other = of_others<math>(predicted, wanted);
      const Vector mine = math::choose(other == Vector(largest), Vector(share), zero);
      const Vector of_best = (Vector(1.0F) - wanted) * mine;
      return math::multiply_add(zero - Vector(active), wanted, of_best);
    };
    return row.loss(math::maximum(0.0F, missed), slope);
  }
};

inline constexpr family categorical_hinge_family{.name = "categorical_hinge",
                                                 .shapes = rowwise_rules::shapes,
                                                 .forward = rowwise_rules::forward,
                                                 .input_gradient = rowwise_rules::input_gradient,
                                                 .reads = {storage::positions}};

template <>
struct row_rule<&categorical_hinge_family> {
  using type = categorical_hinge_rule;
};

/// `loss<categorical_hinge>` of float targets shaped like the output, 1 for the wanted class and 0
/// for the others; a mean over samples; the same as a metric.
struct categorical_hinge {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &categorical_hinge_family;
};

}  // namespace ipu_dsl
