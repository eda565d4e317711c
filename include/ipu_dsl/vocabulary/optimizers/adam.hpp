// SPDX-License-Identifier: MIT
// Adam: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), in the form before
// algorithm 1's last line, as Keras has it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/moments.hpp>

namespace ipu_dsl {

/// m = beta_1 m + (1 - beta_1) g, v = beta_2 v + (1 - beta_2) g^2, w -= rate m / (sqrt(v) + eps);
/// the rate has the corrections of both biases in it.
struct adam_rule {
  static constexpr int kept = 2;

  struct numbers {
    float rate = 0;
    float keep_mean = 0;
    float take_mean = 0;
    float keep_square = 0;
    float take_square = 0;
    float epsilon = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    take_moments<Math>(kept_beside, gradient, of_update);
    step<Math>(w, kept_beside[0], kept_beside[1], of_update);
  }

  /// The running means of the gradient and of its square.
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void take_moments(Vector* kept_beside, const Vector& gradient,
                                                  const numbers& of_update) {
    take_into_mean<Math>(kept_beside[0], gradient, of_update.keep_mean, of_update.take_mean);
    take_into_square<Math>(kept_beside[1], gradient, of_update.keep_square, of_update.take_square);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void step(Vector& w, const Vector& mean, const Vector& square,
                                          const numbers& of_update) {
    const Vector scale = Math::square_root(square) + Vector(of_update.epsilon);
    w = Math::multiply_add(Vector(-of_update.rate), Math::divide(mean, scale), w);
  }
};

inline constexpr family adam_family{
    .name = "adam", .update = update_each_parameter, .kept = {{"m", "v"}}, .elementwise = true};

template <>
struct update_rule<&adam_family> {
  using type = adam_rule;
};

/// The rate of an update, counted from 1, with the corrections of both biases in it.
inline double corrected_rate(double rate, float beta_1, float beta_2, std::uint64_t update) {
  const double squares = 1 - elementary::power(static_cast<double>(beta_2), update);
  const double means = 1 - elementary::power(static_cast<double>(beta_1), update);
  return rate * elementary::square_root(squares) / means;
}

/// Keras's settings and defaults.
struct adam_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float beta_1 = 0.9F;
  float beta_2 = 0.999F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  adam_rule::numbers numbers(std::uint64_t update) const {
    const double rate = corrected_rate(learning_rate.of_update(update), beta_1, beta_2, update);
    return {static_cast<float>(rate), beta_1, 1 - beta_1, beta_2, 1 - beta_2, epsilon};
  }

  /// What is wrong with them.
  constexpr problem fault() const { return moments_fault(*this); }
};

/// `optimizer<adam>`: keeps two numbers beside every one of the parameters.
struct adam {
  static constexpr problem fault{};
  static constexpr const family* rule = &adam_family;
  using settings = adam_settings;
};

}  // namespace ipu_dsl
