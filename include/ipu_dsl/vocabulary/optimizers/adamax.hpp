// SPDX-License-Identifier: MIT
// Adamax: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), section 7.1, as Keras
// has it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/moments.hpp>

namespace ipu_dsl {

/// m = beta_1 m + (1 - beta_1) g, v = max(beta_2 v, |g|), w -= rate m / (v + epsilon); the rate has
/// the correction of m's bias in it.
struct adamax_rule {
  static constexpr int kept = 2;

  struct numbers {
    float rate = 0;
    float keep_mean = 0;
    float take_mean = 0;
    float keep_norm = 0;
    float epsilon = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector& mean = kept_beside[0];
    Vector& norm = kept_beside[1];
    take_into_mean<Math>(mean, gradient, of_update.keep_mean, of_update.take_mean);
    norm = Math::maximum(Vector(of_update.keep_norm) * norm, Math::magnitude(gradient));
    const Vector scale = norm + Vector(of_update.epsilon);
    w = Math::multiply_add(Vector(-of_update.rate), Math::divide(mean, scale), w);
  }
};

inline constexpr family adamax_family{
    .name = "adamax", .update = update_each_parameter, .kept = {{"m", "v"}}, .elementwise = true};

template <>
struct update_rule<&adamax_family> {
  using type = adamax_rule;
};

/// Keras's settings and defaults.
struct adamax_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float beta_1 = 0.9F;
  float beta_2 = 0.999F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  constexpr adamax_rule::numbers numbers(std::uint64_t update) const {
    const double rate = learning_rate.of_update(update) /
                        (1 - elementary::power(static_cast<double>(beta_1), update));
    return {static_cast<float>(rate), beta_1, 1 - beta_1, beta_2, epsilon};
  }

  /// What is wrong with them.
  constexpr problem fault() const { return moments_fault(*this); }
};

/// `optimizer<adamax>`: keeps two numbers beside every one of the parameters.
struct adamax {
  static constexpr problem fault{};
  static constexpr const family* rule = &adamax_family;
  using settings = adamax_settings;
};

}  // namespace ipu_dsl
