// SPDX-License-Identifier: MIT
// The mean of absolute differences, in percent of what was wanted.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// 100 |predicted - wanted| / max(|wanted|, 1e-7), as Keras has it.
struct absolute_percentage_error_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector size_of(const Vector& wanted) {
    return Math::maximum(Vector(keras_epsilon), Math::magnitude(wanted));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector scaled = Vector(100.0F) * Math::magnitude(predicted - wanted);
    return sum + Math::divide(scaled, size_of<Math>(wanted));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    const Vector sign = Vector(100.0F) * Math::sign(predicted - wanted);
    return Math::divide(sign, size_of<Math>(wanted));
  }
};

inline constexpr family mean_absolute_percentage_error_family{
    .name = "mean_absolute_percentage_error",
    .shapes = pointwise_rules::shapes,
    .forward = pointwise_rules::forward,
    .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&mean_absolute_percentage_error_family> {
  using type = absolute_percentage_error_rule;
};

/// `loss<mean_absolute_percentage_error>` of float targets shaped like the output, a mean over the
/// numbers of a sample and over samples; the same as a metric.
struct mean_absolute_percentage_error {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &mean_absolute_percentage_error_family;
};

}  // namespace ipu_dsl
