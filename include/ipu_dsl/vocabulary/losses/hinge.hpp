// SPDX-License-Identifier: MIT
// The margin by which the sign of an output is missed.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// max(1 - sign predicted, 0), where sign is `wanted`, -1 or 1; a 0 is taken for -1.
struct hinge_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector sign_of(const Vector& wanted) {
    return Math::choose(wanted == Vector(0.0F), Vector(-1.0F), wanted);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector missed(const Vector& predicted, const Vector& sign) {
    return Math::multiply_add(Vector(0.0F) - sign, predicted, Vector(1.0F));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    return sum + Math::maximum(Vector(0.0F), missed<Math>(predicted, sign_of<Math>(wanted)));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    const Vector zero(0.0F);
    const Vector sign = sign_of<Math>(wanted);
    return Math::choose(missed<Math>(predicted, sign) >= zero, zero - sign, zero);
  }
};

inline constexpr family hinge_family{.name = "hinge",
                                     .shapes = pointwise_rules::shapes,
                                     .forward = pointwise_rules::forward,
                                     .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&hinge_family> {
  using type = hinge_rule;
};

/// `loss<hinge>` of float targets -1 and 1, or 0 and 1, shaped like the output; a mean over the
/// numbers of a sample and over samples; the same as a metric.
struct hinge {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &hinge_family;
};

}  // namespace ipu_dsl
