// SPDX-License-Identifier: MIT
// Stochastic gradient descent, plain or with momentum.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/momentum.hpp>

namespace ipu_dsl {

/// w -= rate * g, with Keras's formulas here and below; g is the accumulated gradient.
struct sgd_rule {
  static constexpr int kept = 0;

  struct numbers {
    float rate = 0;
  };

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector*, const Vector& gradient,
                                           const numbers& of_update) {
    w = Math::multiply_add(Vector(-of_update.rate), gradient, w);
  }
};

struct sgd_numbers {
  float rate = 0;
  float momentum = 0;
};

/// v = momentum * v - rate * g, w += v. The rate is part of the velocity.
struct sgd_momentum_rule {
  static constexpr int kept = 1;
  using numbers = sgd_numbers;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    Vector& velocity = kept_beside[0];
    velocity = Math::multiply_add(Vector(-of_update.rate), gradient,
                                  Vector(of_update.momentum) * velocity);
    w = w + velocity;
  }
};

/// v = momentum * v - rate * g, w += momentum * v - rate * g.
struct sgd_nesterov_rule {
  static constexpr int kept = 1;
  using numbers = sgd_numbers;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static void apply(Vector& w, Vector* kept_beside, const Vector& gradient,
                                           const numbers& of_update) {
    const Vector negative_rate(-of_update.rate);
    const Vector momentum(of_update.momentum);
    Vector& velocity = kept_beside[0];
    velocity = Math::multiply_add(negative_rate, gradient, momentum * velocity);
    w = Math::multiply_add(momentum, velocity, Math::multiply_add(negative_rate, gradient, w));
  }
};

inline constexpr family sgd_family{
    .name = "sgd", .update = update_each_parameter, .elementwise = true};
inline constexpr family sgd_momentum_family{
    .name = "sgd", .update = update_each_parameter, .kept = {{"momentum"}}, .elementwise = true};
inline constexpr family sgd_nesterov_family{
    .name = "sgd", .update = update_each_parameter, .kept = {{"momentum"}}, .elementwise = true};

template <>
struct update_rule<&sgd_family> {
  using type = sgd_rule;
};

template <>
struct update_rule<&sgd_momentum_family> {
  using type = sgd_momentum_rule;
};

template <>
struct update_rule<&sgd_nesterov_family> {
  using type = sgd_nesterov_rule;
};

inline constexpr option_key nesterov_key{"nesterov"};

/// The numbers of plain descent.
struct sgd_settings {
  learning_rate_schedule learning_rate = 0.01F;

  /// For an update, counted from 1.
  constexpr sgd_rule::numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update))};
  }

  /// What is wrong with them.
  constexpr problem fault() const { return learning_rate.fault(); }
};

/// The numbers of descent with momentum. Keras's momentum is 0 unless it is said; who asks for
/// momentum by type gets the usual one.
struct sgd_momentum_settings {
  learning_rate_schedule learning_rate = 0.01F;
  float momentum = 0.9F;

  constexpr sgd_numbers numbers(std::uint64_t update) const {
    return {static_cast<float>(learning_rate.of_update(update)), momentum};
  }

  constexpr problem fault() const {
    settings_check check;
    check.fraction("momentum", momentum);
    check.take(learning_rate.fault());
    return check.fault;
  }
};

/// Looks ahead along the velocity; keeps one as `momentum` does.
struct nesterov {
  static constexpr option as_option{&nesterov_key, 1};
};

/// `optimizer<sgd<>>`, `optimizer<sgd<momentum>>`, `optimizer<sgd<momentum, nesterov>>`: what it
/// keeps beside the parameters stands in the type, the numbers are given to the session.
template <typename... Options>
struct sgd {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&momentum_key, &nesterov_key};

 public:
  static constexpr problem fault = given.find_fault(accepted);
  static constexpr const family* rule = given.given(nesterov_key)   ? &sgd_nesterov_family
                                        : given.given(momentum_key) ? &sgd_momentum_family
                                                                    : &sgd_family;

  /// Given to the session: `session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}}`.
  using settings =
      std::conditional_t<same_address(rule, &sgd_family), sgd_settings, sgd_momentum_settings>;
};

}  // namespace ipu_dsl
