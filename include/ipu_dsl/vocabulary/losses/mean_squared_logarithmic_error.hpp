// SPDX-License-Identifier: MIT
// The mean of squared differences of logarithms.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// (ln(1 + predicted) - ln(1 + wanted))^2, where what is below 1e-7 is taken for 1e-7, as Keras has
/// it.
struct squared_logarithmic_error_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector logarithm(const Vector& number) {
    return Math::logarithm(Vector(1.0F) + Math::maximum(Vector(keras_epsilon), number));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector difference = logarithm<Math>(predicted) - logarithm<Math>(wanted);
    return Math::multiply_add(difference, difference, sum);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    const Vector difference = logarithm<Math>(predicted) - logarithm<Math>(wanted);
    const Vector slope = Math::divide(difference + difference, Vector(1.0F) + predicted);
    return Math::choose(predicted >= Vector(keras_epsilon), slope, Vector(0.0F));
  }
};

inline constexpr family mean_squared_logarithmic_error_family{
    .name = "mean_squared_logarithmic_error",
    .shapes = pointwise_rules::shapes,
    .forward = pointwise_rules::forward,
    .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&mean_squared_logarithmic_error_family> {
  using type = squared_logarithmic_error_rule;
};

/// `loss<mean_squared_logarithmic_error>` of float targets shaped like the output, a mean over the
/// numbers of a sample and over samples; the same as a metric.
struct mean_squared_logarithmic_error {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &mean_squared_logarithmic_error_family;
};

}  // namespace ipu_dsl
