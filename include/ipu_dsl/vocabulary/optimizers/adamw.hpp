// SPDX-License-Identifier: MIT
// AdamW: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019), as later Keras has
// it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

namespace ipu_dsl {

/// w -= rate weight_decay w, then Adam.
using adamw_rule = adapted_rule<adam_rule, false, true>;

inline constexpr family adamw_family{
    .name = "adamw", .update = update_each_parameter, .kept = {{"m", "v"}}, .elementwise = true};

template <>
struct update_rule<&adamw_family> {
  using type = adamw_rule;
};

/// Keras's settings and defaults. Every parameter decays, biases too.
struct adamw_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float weight_decay = 0.004F;
  float beta_1 = 0.9F;
  float beta_2 = 0.999F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  adamw_rule::numbers numbers(std::uint64_t update) const {
    const double lost =
        elementary::product(learning_rate.of_update(update), static_cast<double>(weight_decay));
    return {of_adam().numbers(update), 0, static_cast<float>(1 - lost)};
  }

  /// What is wrong with them.
  constexpr problem fault() const {
    settings_check check;
    check.take(of_adam().fault());
    check.not_negative("weight_decay", weight_decay);
    return check.fault;
  }

 private:
  constexpr adam_settings of_adam() const { return {learning_rate, beta_1, beta_2, epsilon}; }
};

/// `optimizer<adamw>`: keeps two numbers beside every one of the parameters.
struct adamw {
  static constexpr problem fault{};
  static constexpr const family* rule = &adamw_family;
  using settings = adamw_settings;
};

}  // namespace ipu_dsl
