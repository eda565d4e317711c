// SPDX-License-Identifier: MIT
// Adadelta: Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012), as Keras has it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/moments.hpp>

namespace ipu_dsl {

/// a = rho a + (1 - rho) g^2, d = sqrt(b + epsilon) g / sqrt(a + epsilon),
/// b = rho b + (1 - rho) d^2, w -= rate d.
struct adadelta_rule {
  static constexpr int kept = 2;

  struct numbers {
    float rate = 0;
    float keep = 0;
    float take = 0;
    float epsilon = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    const Vector epsilon(of_update.epsilon);
    Vector& of_gradients = kept_beside[0];
    Vector& of_steps = kept_beside[1];
    take_into_square<Math>(of_gradients, gradient, of_update.keep, of_update.take);
    const Vector wanted = Math::square_root(of_steps + epsilon) * gradient;
    const Vector step = Math::divide(wanted, Math::square_root(of_gradients + epsilon));
    take_into_square<Math>(of_steps, step, of_update.keep, of_update.take);
    w = Math::multiply_add(Vector(-of_update.rate), step, w);
  }
};

inline constexpr family adadelta_family{.name = "adadelta",
                                        .update = update_each_parameter,
                                        .kept = {{"accum_grad", "accum_var"}},
                                        .elementwise = true};

template <>
struct update_rule<&adadelta_family> {
  using type = adadelta_rule;
};

/// Keras's settings and defaults; the paper's learning rate is 1.
struct adadelta_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float rho = 0.95F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  constexpr adadelta_rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), rho, 1 - rho, epsilon};
  }

  /// What is wrong with them.
  constexpr problem fault() const {
    settings_check check;
    check.take(learning_rate.fault());
    check.decay("rho", rho);
    check.epsilon(epsilon);
    return check.fault;
  }
};

/// `optimizer<adadelta>`: keeps two numbers beside every one of the parameters.
struct adadelta {
  static constexpr problem fault{};
  static constexpr const family* rule = &adadelta_family;
  using settings = adadelta_settings;
};

}  // namespace ipu_dsl
