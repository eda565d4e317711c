// SPDX-License-Identifier: MIT
// FTRL-Proximal: McMahan et al., "Ad Click Prediction: a View from the Trenches" (2013), as Keras
// has it with its default learning_rate_power of -0.5. Another power would need one of vectors.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>

namespace ipu_dsl {

/// n' = n + g^2, z += g + 2 shrinkage w - (sqrt(n') - sqrt(n)) w / rate; then w is 0 where
/// |z| <= l1, and (sign(z) l1 - z) / (sqrt(n') / rate + 2 l2) elsewhere.
struct ftrl_rule {
  static constexpr int kept = 2;

  struct numbers {
    float inverse_rate = 0;
    float l1 = 0;
    float twice_l2 = 0;
    float twice_shrinkage = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    const Vector zero(0.0F);
    const Vector inverse_rate(of_update.inverse_rate);
    const Vector l1(of_update.l1);
    Vector& sum = kept_beside[0];
    Vector& linear = kept_beside[1];
    const Vector root_before = Math::square_root(sum);
    sum = Math::multiply_add(gradient, gradient, sum);
    const Vector root = Math::square_root(sum);
    const Vector shrunk = Math::multiply_add(Vector(of_update.twice_shrinkage), w, gradient);
    const Vector pull = (root_before - root) * inverse_rate;
    linear = Math::multiply_add(pull, w, linear + shrunk);
    const Vector wanted = Math::choose(linear > zero, l1, zero - l1) - linear;
    const Vector scale = Math::multiply_add(root, inverse_rate, Vector(of_update.twice_l2));
    // In this order what is not a number is kept.
    w = Math::choose(Math::magnitude(linear) <= l1, zero, Math::divide(wanted, scale));
  }
};

inline constexpr family ftrl_family{.name = "ftrl",
                                    .update = update_each_parameter,
                                    .kept = {{"accumulator", "linear"}},
                                    .elementwise = true};

template <>
struct update_rule<&ftrl_family> {
  using type = ftrl_rule;
};

/// Keras's settings and defaults. The accumulators have their initial value when a session is made;
/// `set_optimizer` and `load_training` do not go back to it.
struct ftrl_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float initial_accumulator_value = 0.1F;
  float l1_regularization_strength = 0;
  float l2_regularization_strength = 0;
  float l2_shrinkage_regularization_strength = 0;
  float beta = 0;

  /// For an update, counted from 1.
  constexpr ftrl_rule::numbers numbers(std::uint64_t update) const {
    // A schedule may end at zero, which is no divisor: weights become zero, as at the limit.
    constexpr double least = 1e-20;
    const double rate = learning_rate.of_update(update);
    const double inverse_rate = 1 / (rate < least ? least : rate);
    const double l2 = static_cast<double>(l2_regularization_strength) +
                      elementary::product(static_cast<double>(beta) / 2, inverse_rate);
    return {static_cast<float>(inverse_rate), l1_regularization_strength,
            static_cast<float>(2 * l2), 2 * l2_shrinkage_regularization_strength};
  }

  constexpr float kept_at_first(std::string_view slot) const {
    return slot == "accumulator" ? initial_accumulator_value : 0;
  }

  /// What is wrong with them.
  constexpr problem fault() const {
    settings_check check;
    check.take(learning_rate.fault());
    check.not_negative("initial_accumulator_value", initial_accumulator_value);
    check.not_negative("l1_regularization_strength", l1_regularization_strength);
    check.not_negative("l2_regularization_strength", l2_regularization_strength);
    check.not_negative("l2_shrinkage_regularization_strength",
                       l2_shrinkage_regularization_strength);
    check.not_negative("beta", beta);
    if (!check.fault.found() && !(learning_rate.at(0) > 0)) {
      check.take(refuse("a learning_rate that begins above 0, by which ftrl divides",
                        label() << static_cast<float>(learning_rate.at(0))));
    }
    return check.fault;
  }
};

/// `optimizer<ftrl>`: keeps two numbers beside every one of the parameters.
struct ftrl {
  static constexpr problem fault{};
  static constexpr const family* rule = &ftrl_family;
  using settings = ftrl_settings;
};

}  // namespace ipu_dsl
