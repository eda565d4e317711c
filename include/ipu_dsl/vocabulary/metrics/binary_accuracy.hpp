// SPDX-License-Identifier: MIT
// The share of outputs that lie on the side of 0.5 where their target lies.
#pragma once

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// 1 if predicted > 0.5 says what wanted does, which is 0 or 1.
struct binary_hit_rule {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector& wanted) {
    const Vector one(1.0F);
    const Vector zero(0.0F);
    const Vector said = Math::choose(predicted > Vector(0.5F), one, zero);
    return sum + Math::choose(said == wanted, one, zero);
  }
};

inline constexpr family binary_accuracy_family{.name = "binary_accuracy",
                                               .shapes = pointwise_rules::shapes,
                                               .forward = pointwise_rules::forward};

template <>
struct pointwise_rule<&binary_accuracy_family> {
  using type = binary_hit_rule;
};

/// `metrics<binary_accuracy>`: Keras's, of outputs that are probabilities and targets that are 0 or
/// 1.
struct binary_accuracy {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &binary_accuracy_family;
};

}  // namespace ipu_dsl
