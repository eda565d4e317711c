// SPDX-License-Identifier: MIT
// LAMB: You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes"
// (2020), as TensorFlow Addons has it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

namespace ipu_dsl {

/// m and v as Adam has them, u = (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon) +
/// weight_decay w, w -= rate |w| / |u| u: norms of the whole parameter, whose ratio is 1 where one
/// of them is zero.
struct lamb_rule {
  static constexpr int kept = 2;
  static constexpr whole_sums sums{{2}};

  struct numbers {
    adam_rule::numbers moments;  ///< without corrections in the rate
    float mean_scale = 1;
    float square_scale = 1;
    float weight_decay = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    adam_rule::take_moments<Math>(kept_beside, gradient, of_update.moments);
    const Vector step = step_of<Math>(w, kept_beside, of_update);
    w = Math::multiply_add(Vector(-of_update.moments.rate), step, w);
  }

  /// The squares of w and of u.
  template <int Stage, typename Math, typename Vector>
  [[gnu::always_inline]] static void add(Vector* to, const Vector& w, const Vector* kept_beside,
                                         const Vector& gradient, const numbers& of_update) {
    Vector moments[] = {kept_beside[0], kept_beside[1]};
    adam_rule::take_moments<Math>(moments, gradient, of_update.moments);
    const Vector step = step_of<Math>(w, moments, of_update);
    to[0] = Math::multiply_add(w, w, to[0]);
    to[1] = Math::multiply_add(step, step, to[1]);
  }

  template <int Stage>
  static void take(numbers& of_update, const double* totals) {
    if (totals[0] > 0 && totals[1] > 0) {
      const double ratio = elementary::square_root(totals[0]) / elementary::square_root(totals[1]);
      of_update.moments.rate = static_cast<float>(
          elementary::product(static_cast<double>(of_update.moments.rate), ratio));
    }
  }

 private:
  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector step_of(const Vector& w, const Vector* moments,
                                               const numbers& of_update) {
    const Vector mean = Vector(of_update.mean_scale) * moments[0];
    const Vector root = Math::square_root(Vector(of_update.square_scale) * moments[1]);
    return Math::multiply_add(Vector(of_update.weight_decay), w,
                              Math::divide(mean, root + Vector(of_update.moments.epsilon)));
  }
};

inline constexpr family lamb_family{
    .name = "lamb", .update = update_each_parameter, .kept = {{"m", "v"}}, .sums = lamb_rule::sums};

template <>
struct update_rule<&lamb_family> {
  using type = lamb_rule;
};

/// The settings and defaults of TensorFlow Addons; `weight_decay` is its weight_decay_rate, which
/// is part of the step and of its norm.
struct lamb_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float beta_1 = 0.9F;
  float beta_2 = 0.999F;
  float epsilon = 1e-6F;
  float weight_decay = 0;

  /// For an update, counted from 1.
  lamb_rule::numbers numbers(std::uint64_t update) const {
    const double rate = learning_rate.of_update(update);
    const double means = 1 - elementary::power(static_cast<double>(beta_1), update);
    const double squares = 1 - elementary::power(static_cast<double>(beta_2), update);
    return {{static_cast<float>(rate), beta_1, 1 - beta_1, beta_2, 1 - beta_2, epsilon},
            static_cast<float>(1 / means),
            static_cast<float>(1 / squares),
            weight_decay};
  }

  /// What is wrong with them.
  constexpr problem fault() const {
    settings_check check;
    check.take(moments_fault(*this));
    check.not_negative("weight_decay", weight_decay);
    return check.fault;
  }
};

/// `optimizer<lamb>`: keeps two numbers beside every one of the parameters, and steps by the ratio
/// of norms of each parameter. Updated by calls of its own, which read a parameter twice.
struct lamb {
  static constexpr problem fault{};
  static constexpr const family* rule = &lamb_family;
  using settings = lamb_settings;
};

}  // namespace ipu_dsl
