// SPDX-License-Identifier: MIT
// Adagrad: Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and
// Stochastic Optimization" (2011), as Keras has it.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>

namespace ipu_dsl {

/// a += g^2, w -= rate g / (sqrt(a) + epsilon).
struct adagrad_rule {
  static constexpr int kept = 1;

  struct numbers {
    float rate = 0;
    float epsilon = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector& sum = kept_beside[0];
    sum = Math::multiply_add(gradient, gradient, sum);
    const Vector scale = Math::square_root(sum) + Vector(of_update.epsilon);
    w = Math::multiply_add(Vector(-of_update.rate), Math::divide(gradient, scale), w);
  }
};

inline constexpr family adagrad_family{.name = "adagrad",
                                       .update = update_each_parameter,
                                       .kept = {{"accumulator"}},
                                       .elementwise = true};

template <>
struct update_rule<&adagrad_family> {
  using type = adagrad_rule;
};

/// Keras's settings and defaults. The accumulators have their initial value when a session is made;
/// `set_optimizer` and `load_training` do not go back to it.
struct adagrad_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float initial_accumulator_value = 0.1F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  constexpr adagrad_rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), epsilon};
  }

  constexpr float kept_at_first(std::string_view) const { return initial_accumulator_value; }

  /// What is wrong with them.
  constexpr problem fault() const {
    settings_check check;
    check.take(learning_rate.fault());
    check.not_negative("initial_accumulator_value", initial_accumulator_value);
    check.epsilon(epsilon);
    return check.fault;
  }
};

/// `optimizer<adagrad>`: keeps a number beside every one of the parameters.
struct adagrad {
  static constexpr problem fault{};
  static constexpr const family* rule = &adagrad_family;
  using settings = adagrad_settings;
};

}  // namespace ipu_dsl
