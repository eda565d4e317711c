// SPDX-License-Identifier: MIT
// The divergence of Kullback and Leibler of what was predicted from what was wanted.
#pragma once

#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl {

/// Sum of y ln(y / p), both clipped to [1e-7, 1], as Keras has it; the derivative is -y / p, and 0
/// where p is clipped.
struct kl_divergence_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector clipped(const Vector& probability) {
    return Math::minimum(Vector(1.0F), Math::maximum(Vector(keras_epsilon), probability));
  }

  template <typename Row>
  [[gnu::always_inline]] static auto judge(const Row& row) {
    using math = typename Row::math;
    const float divergence = row.sum([]<typename Vector>(
                                         const Vector& sum, const Vector& predicted,
                                         const Vector& wanted) __attribute__((always_inline)) {
      const Vector y = clipped<math>(wanted);
      return math::multiply_add(y, math::logarithm(math::divide(y, clipped<math>(predicted))), sum);
    });
    const auto slope = []<typename Vector>(const Vector& predicted,
                                           const Vector& wanted) __attribute__((always_inline)) {
      const Vector zero(0.0F);
      const Vector p = clipped<math>(predicted);
      return math::choose(p == predicted, zero - math::divide(clipped<math>(wanted), p), zero);
    };
    return row.loss(divergence, slope);
  }
};

inline constexpr family kl_divergence_family{.name = "kl_divergence",
                                             .shapes = rowwise_rules::shapes,
                                             .forward = rowwise_rules::forward,
                                             .input_gradient = rowwise_rules::input_gradient,
                                             .reads = {storage::positions}};

template <>
struct row_rule<&kl_divergence_family> {
  using type = kl_divergence_rule;
};

/// `loss<kl_divergence>` of probabilities, with targets that are probabilities as well, a sum over
/// the numbers of a sample and a mean over samples; the same as a metric.
struct kl_divergence {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &kl_divergence_family;
};

}  // namespace ipu_dsl
