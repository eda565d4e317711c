// SPDX-License-Identifier: MIT
// AMSGrad: Reddi, Kale and Kumar, "On the Convergence of Adam and Beyond" (2018), as Keras's
// Adam(amsgrad=True).
#pragma once

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

namespace ipu_dsl {

/// Adam, divided by the root of the largest v that there was.
struct amsgrad_rule {
  static constexpr int kept = 3;
  using numbers = adam_rule::numbers;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector& largest = kept_beside[2];
    adam_rule::take_moments<Math>(kept_beside, gradient, of_update);
    largest = Math::maximum(largest, kept_beside[1]);
    adam_rule::step<Math>(w, kept_beside[0], largest, of_update);
  }
};

inline constexpr family amsgrad_family{.name = "amsgrad",
                                       .update = update_each_parameter,
                                       .kept = {{"m", "v", "vhat"}},
                                       .elementwise = true};

template <>
struct update_rule<&amsgrad_family> {
  using type = amsgrad_rule;
};

/// `optimizer<amsgrad>`: keeps three numbers beside every one of the parameters.
struct amsgrad {
  static constexpr problem fault{};
  static constexpr const family* rule = &amsgrad_family;
  using settings = adam_settings;
};

}  // namespace ipu_dsl
