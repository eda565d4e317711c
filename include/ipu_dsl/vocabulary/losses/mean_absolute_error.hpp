// SPDX-License-Identifier: MIT
// The mean of absolute differences.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// |predicted - wanted|, whose derivative is taken for 0 where they are equal.
struct absolute_error_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    return sum + Math::magnitude(predicted - wanted);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    return Math::sign(predicted - wanted);
  }
};

inline constexpr family mean_absolute_error_family{
    .name = "mean_absolute_error",
    .shapes = pointwise_rules::shapes,
    .forward = pointwise_rules::forward,
    .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&mean_absolute_error_family> {
  using type = absolute_error_rule;
};

/// `loss<mean_absolute_error>` of float targets shaped like the output, a mean over the numbers of
/// a sample and over samples; the same as a metric.
struct mean_absolute_error {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &mean_absolute_error_family;
};

}  // namespace ipu_dsl
