// SPDX-License-Identifier: MIT
// The squared margin by which the sign of an output is missed.
#pragma once

#include <ipu_dsl/vocabulary/losses/hinge.hpp>
#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// The square of what `hinge_rule` says.
struct squared_hinge_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector missed_of(const Vector& predicted, const Vector& wanted) {
    const Vector sign = hinge_rule::sign_of<Math>(wanted);
    return Math::maximum(Vector(0.0F), hinge_rule::missed<Math>(predicted, sign));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector missed = missed_of<Math>(predicted, wanted);
    return Math::multiply_add(missed, missed, sum);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    const Vector missed = missed_of<Math>(predicted, wanted);
    return (Vector(0.0F) - (missed + missed)) * hinge_rule::sign_of<Math>(wanted);
  }
};

inline constexpr family squared_hinge_family{.name = "squared_hinge",
                                             .shapes = pointwise_rules::shapes,
                                             .forward = pointwise_rules::forward,
                                             .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&squared_hinge_family> {
  using type = squared_hinge_rule;
};

/// `loss<squared_hinge>` of float targets -1 and 1, or 0 and 1, shaped like the output; a mean over
/// the numbers of a sample and over samples; the same as a metric.
struct squared_hinge {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &squared_hinge_family;
};

}  // namespace ipu_dsl
