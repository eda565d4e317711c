// SPDX-License-Identifier: MIT
// Lion: Chen et al., "Symbolic Discovery of Optimization Algorithms" (2023), as later Keras has it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/moments.hpp>

namespace ipu_dsl {

/// w -= rate sign(beta_1 m + (1 - beta_1) g), then m = beta_2 m + (1 - beta_2) g.
struct lion_rule {
  static constexpr int kept = 1;

  struct numbers {
    float rate = 0;
    float keep_for_step = 0;
    float take_for_step = 0;
    float keep = 0;
    float take = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector& mean = kept_beside[0];
    const Vector direction = Math::multiply_add(Vector(of_update.take_for_step), gradient,
                                                Vector(of_update.keep_for_step) * mean);
    take_into_mean<Math>(mean, gradient, of_update.keep, of_update.take);
    w = Math::multiply_add(Vector(-of_update.rate), Math::sign(direction), w);
  }
};

inline constexpr family lion_family{
    .name = "lion", .update = update_each_parameter, .kept = {{"m"}}, .elementwise = true};

template <>
struct update_rule<&lion_family> {
  using type = lion_rule;
};

/// Keras's settings and defaults.
struct lion_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float beta_1 = 0.9F;
  float beta_2 = 0.99F;

  /// For an update, counted from 1.
  constexpr lion_rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), beta_1, 1 - beta_1, beta_2,
            1 - beta_2};
  }

  /// What is wrong with them.
  constexpr problem fault() const { return check_decays(*this).fault; }
};

/// `optimizer<lion>`: keeps a number beside every one of the parameters.
struct lion {
  static constexpr problem fault{};
  static constexpr const family* rule = &lion_family;
  using settings = lion_settings;
};

}  // namespace ipu_dsl
