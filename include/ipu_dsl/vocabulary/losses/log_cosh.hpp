// SPDX-License-Identifier: MIT
// The logarithm of the hyperbolic cosine of differences.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// ln cosh d = |d| + ln(1 + e^-2|d|) - ln 2 of d = predicted - wanted, whose derivative is tanh d.
struct log_cosh_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector size = Math::magnitude(predicted - wanted);
    const Vector rest =
        Math::logarithm_of_one_plus(Math::exponential(Vector(0.0F) - (size + size)));
    return sum + (size + (rest - Vector(0x1.62e43p-1F)));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted) {
    return Math::hyperbolic_tangent(predicted - wanted);
  }
};

inline constexpr family log_cosh_family{.name = "log_cosh",
                                        .shapes = pointwise_rules::shapes,
                                        .forward = pointwise_rules::forward,
                                        .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&log_cosh_family> {
  using type = log_cosh_rule;
};

/// `loss<log_cosh>` of float targets shaped like the output, a mean over the numbers of a
/// sample and over samples; the same as a metric.
struct log_cosh {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &log_cosh_family;
};

}  // namespace ipu_dsl
