// SPDX-License-Identifier: MIT
// What a Poisson distribution of this mean says of a count.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// predicted - wanted ln(predicted + 1e-7), as Keras has it: minus the logarithm of the likelihood,
/// without what depends on `wanted` alone.
struct poisson_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector logarithm = Math::logarithm(predicted + Vector(keras_epsilon));
    return sum + Math::multiply_add(Vector(0.0F) - wanted, logarithm, predicted);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    return Vector(1.0F) - Math::divide(wanted, predicted + Vector(keras_epsilon));
  }
};

inline constexpr family poisson_family{.name = "poisson",
                                       .shapes = pointwise_rules::shapes,
                                       .forward = pointwise_rules::forward,
                                       .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&poisson_family> {
  using type = poisson_rule;
};

/// `loss<poisson>` of float targets shaped like the output, a mean over the numbers of a
/// sample and over samples; the same as a metric.
struct poisson {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &poisson_family;
};

}  // namespace ipu_dsl
