// SPDX-License-Identifier: MIT
// Running means of gradients and of their squares, which many optimizers keep.
#pragma once

#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/settings_check.hpp>

namespace ipu_dsl {

/// mean = keep mean + take g.
template <typename Math, typename Vector>
[[gnu::always_inline]] inline void take_into_mean(Vector& mean, const Vector& gradient, float keep,
                                                  float take) {
  mean = Math::multiply_add(Vector(take), gradient, Vector(keep) * mean);
}

/// square = keep square + take g^2.
template <typename Math, typename Vector>
[[gnu::always_inline]] inline void take_into_square(Vector& square, const Vector& gradient,
                                                    float keep, float take) {
  square = Math::multiply_add(Vector(take) * gradient, gradient, Vector(keep) * square);
}

/// Looks at a rate and two decays, which settings of that kind begin with.
template <typename Settings>
constexpr settings_check check_decays(const Settings& chosen) {
  settings_check check;
  check.take(chosen.learning_rate.fault());
  check.decay("beta_1", chosen.beta_1);
  check.decay("beta_2", chosen.beta_2);
  return check;
}

/// What is wrong with a rate, two decays and an epsilon.
template <typename Settings>
constexpr problem moments_fault(const Settings& chosen) {
  settings_check check = check_decays(chosen);
  check.epsilon(chosen.epsilon);
  return check.fault;
}

}  // namespace ipu_dsl
