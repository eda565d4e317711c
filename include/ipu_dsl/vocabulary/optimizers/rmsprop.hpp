// SPDX-License-Identifier: MIT
// RMSprop: Hinton, "Neural Networks for Machine Learning", lecture 6e (2012), as Keras 2.4 has it;
// centered as in Graves, "Generating Sequences With Recurrent Neural Networks" (2013).
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/moments.hpp>
#include <ipu_dsl/vocabulary/optimizers/momentum.hpp>

namespace ipu_dsl {

/// s = rho s + (1 - rho) g^2; d = s, centered d = s - a^2 with a = rho a + (1 - rho) g.
/// w -= rate g / (sqrt(d) + epsilon); with momentum, where Keras has epsilon under the root,
/// v = momentum v + rate g / sqrt(d + epsilon), w -= v.
template <bool Momentum, bool Centered>
struct rmsprop_rule {
  static constexpr int kept = 1 + (Momentum ? 1 : 0) + (Centered ? 1 : 0);

  struct numbers {
    float rate = 0;
    float keep = 0;
    float take = 0;
    float epsilon = 0;
    float momentum = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    const Vector epsilon(of_update.epsilon);
    Vector& square = kept_beside[0];
    take_into_square<Math>(square, gradient, of_update.keep, of_update.take);
    Vector spread = square;
    if constexpr (Centered) {
      const Vector zero(0.0F);
      Vector& mean = kept_beside[kept - 1];
      take_into_mean<Math>(mean, gradient, of_update.keep, of_update.take);
      // A variance; rounding could make it negative.
      spread = Math::maximum(zero, Math::multiply_add(zero - mean, mean, square));
    }
    if constexpr (Momentum) {
      Vector& velocity = kept_beside[1];
      const Vector step =
          Math::divide(Vector(of_update.rate) * gradient, Math::square_root(spread + epsilon));
      velocity = Math::multiply_add(Vector(of_update.momentum), velocity, step);
      w = w - velocity;
    } else {
      const Vector scale = Math::square_root(spread) + epsilon;
      w = Math::multiply_add(Vector(-of_update.rate), Math::divide(gradient, scale), w);
    }
  }
};

inline constexpr family rmsprop_family{
    .name = "rmsprop", .update = update_each_parameter, .kept = {{"rms"}}, .elementwise = true};
inline constexpr family rmsprop_momentum_family{.name = "rmsprop",
                                                .update = update_each_parameter,
                                                .kept = {{"rms", "momentum"}},
                                                .elementwise = true};
inline constexpr family rmsprop_centered_family{.name = "rmsprop",
                                                .update = update_each_parameter,
                                                .kept = {{"rms", "mg"}},
                                                .elementwise = true};
inline constexpr family rmsprop_centered_momentum_family{.name = "rmsprop",
                                                         .update = update_each_parameter,
                                                         .kept = {{"rms", "momentum", "mg"}},
                                                         .elementwise = true};

template <>
struct update_rule<&rmsprop_family> {
  using type = rmsprop_rule<false, false>;
};

template <>
struct update_rule<&rmsprop_momentum_family> {
  using type = rmsprop_rule<true, false>;
};

template <>
struct update_rule<&rmsprop_centered_family> {
  using type = rmsprop_rule<false, true>;
};

template <>
struct update_rule<&rmsprop_centered_momentum_family> {
  using type = rmsprop_rule<true, true>;
};

/// Keras's settings and defaults; `Rule` is one without momentum.
template <typename Rule>
struct rmsprop_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float rho = 0.9F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  constexpr typename Rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), rho, 1 - rho, epsilon, 0};
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

/// With momentum. Keras's is 0 unless it is said; who asks for momentum by type gets the usual one.
template <typename Rule>
struct rmsprop_momentum_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float rho = 0.9F;
  float momentum = 0.9F;
  float epsilon = 1e-7F;

  constexpr typename Rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), rho, 1 - rho, epsilon, momentum};
  }

  constexpr problem fault() const {
    settings_check check;
    check.take(rmsprop_settings<Rule>{learning_rate, rho, epsilon}.fault());
    check.fraction("momentum", momentum);
    return check.fault;
  }
};

inline constexpr option_key centered_key{"centered"};

/// Divides by the root of the gradient's variance instead of that of its mean square.
struct centered {
  static constexpr option as_option{&centered_key, 1};
};

/// `optimizer<rmsprop<>>`, `optimizer<rmsprop<momentum>>`, `optimizer<rmsprop<momentum,
/// centered>>`.
template <typename... Options>
struct rmsprop {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&momentum_key, &centered_key};
  static constexpr bool has_momentum = given.given(momentum_key);
  static constexpr bool is_centered = given.given(centered_key);
  using rule_type = rmsprop_rule<has_momentum, is_centered>;

 public:
  static constexpr problem fault = given.find_fault(accepted);
  static constexpr const family* rule =
      has_momentum ? (is_centered ? &rmsprop_centered_momentum_family : &rmsprop_momentum_family)
                   : (is_centered ? &rmsprop_centered_family : &rmsprop_family);

  using settings = std::conditional_t<has_momentum, rmsprop_momentum_settings<rule_type>,
                                      rmsprop_settings<rule_type>>;
};

}  // namespace ipu_dsl
