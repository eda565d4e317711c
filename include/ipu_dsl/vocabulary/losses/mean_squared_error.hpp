// SPDX-License-Identifier: MIT
// The mean of squared differences.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// (predicted - wanted)^2, whose derivative is 2 (predicted - wanted).
struct squared_error_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector difference = predicted - wanted;
    return Math::multiply_add(difference, difference, sum);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    const Vector difference = predicted - wanted;
    return difference + difference;
  }
};

inline constexpr family mean_squared_error_family{
    .name = "mean_squared_error",
    .shapes = pointwise_rules::shapes,
    .forward = pointwise_rules::forward,
    .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&mean_squared_error_family> {
  using type = squared_error_rule;
};

/// `loss<mean_squared_error>` of float targets shaped like the output, a mean over the numbers of a
/// sample and over samples; the same as a metric.
struct mean_squared_error {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &mean_squared_error_family;
};

}  // namespace ipu_dsl
