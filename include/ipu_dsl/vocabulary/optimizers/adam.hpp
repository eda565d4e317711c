// SPDX-License-Identifier: MIT
// Adam: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), in the form before
// algorithm 1's last line, as Keras has it.
#pragma once

#include <cmath>
#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>

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
    Vector& mean = kept_beside[0];
    Vector& square = kept_beside[1];
    mean = Math::multiply_add(Vector(of_update.take_mean), gradient,
                              Vector(of_update.keep_mean) * mean);
    square = Math::multiply_add(Vector(of_update.take_square) * gradient, gradient,
                                Vector(of_update.keep_square) * square);
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

/// Keras's settings and defaults.
struct adam_settings {
  float learning_rate = 0.001F;
  float beta_1 = 0.9F;
  float beta_2 = 0.999F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  adam_rule::numbers numbers(std::uint64_t update) const {
    const double rate = static_cast<double>(learning_rate) *
                        std::sqrt(1 - power(static_cast<double>(beta_2), update)) /
                        (1 - power(static_cast<double>(beta_1), update));
    return {static_cast<float>(rate), beta_1, 1 - beta_1, beta_2, 1 - beta_2, epsilon};
  }

  /// What is wrong with them.
  constexpr problem fault() const {
    if (!(learning_rate >= 0 && learning_rate <= 1e30F)) {
      return refuse("a finite learning_rate of at least 0", label() << learning_rate);
    }
    if (!(beta_1 >= 0 && beta_1 < 1)) {
      return refuse("a beta_1 of at least 0 and below 1", label() << beta_1);
    }
    if (!(beta_2 >= 0 && beta_2 < 1)) {
      return refuse("a beta_2 of at least 0 and below 1", label() << beta_2);
    }
    if (!(epsilon > 0 && epsilon <= 1)) {
      return refuse("an epsilon above 0, at most 1", label() << epsilon);
    }
    return {};
  }

 private:
  /// By squaring, so that all processors and libraries agree.
  static constexpr double power(double base, std::uint64_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2) {
      result *= exponent % 2 == 1 ? base : 1;
      base *= base;
    }
    return result;
  }
};

/// `optimizer<adam>`: keeps two numbers beside every one of the parameters.
struct adam {
  static constexpr problem fault{};
  static constexpr const family* rule = &adam_family;
  using settings = adam_settings;
};

}  // namespace ipu_dsl
