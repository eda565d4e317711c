// SPDX-License-Identifier: MIT
// Nadam: Dozat, "Incorporating Nesterov Momentum into Adam" (2016), with the schedule of momentum
// that Keras 2.4 has.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/vocabulary/optimizers/each_parameter.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>
#include <ipu_dsl/vocabulary/optimizers/moments.hpp>

namespace ipu_dsl {

/// m = beta_1 m + (1 - beta_1) g, v = beta_2 v + (1 - beta_2) g^2, w -= (a g + b m) / (sqrt(c v) +
/// epsilon). With u_t = beta_1 (1 - 0.96^(0.004 t) / 2) and U_t the product of all u up to it,
/// a = rate (1 - u_t) / (1 - U_t), b = rate u_(t+1) / (1 - U_(t+1)), c = 1 / (1 - beta_2^t).
struct nadam_rule {
  static constexpr int kept = 2;

  struct numbers {
    float of_gradient = 0;
    float of_mean = 0;
    float of_square = 0;
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
    take_into_mean<Math>(mean, gradient, of_update.keep_mean, of_update.take_mean);
    take_into_square<Math>(square, gradient, of_update.keep_square, of_update.take_square);
    const Vector ahead = Math::multiply_add(Vector(of_update.of_gradient), gradient,
                                            Vector(of_update.of_mean) * mean);
    const Vector scale = Math::square_root(Vector(of_update.of_square) * square);
    w = w - Math::divide(ahead, scale + Vector(of_update.epsilon));
  }
};

inline constexpr family nadam_family{
    .name = "nadam", .update = update_each_parameter, .kept = {{"m", "v"}}, .elementwise = true};

template <>
struct update_rule<&nadam_family> {
  using type = nadam_rule;
};

/// Keras's settings and defaults.
struct nadam_settings {
  learning_rate_schedule learning_rate = 0.001F;
  float beta_1 = 0.9F;
  float beta_2 = 0.999F;
  float epsilon = 1e-7F;

  /// For an update, counted from 1.
  constexpr nadam_rule::numbers numbers(std::uint64_t update) const {
    const double rate = learning_rate.of_update(update);
    const double now = momentum_of(update);
    const double next = momentum_of(update + 1);
    const double product = product_of_momenta(update);
    const double of_gradient = rate * (1 - now) / (1 - product);
    const double of_mean = rate * next / (1 - elementary::product(product, next));
    const double squares = 1 - elementary::power(static_cast<double>(beta_2), update);
    return {static_cast<float>(of_gradient),
            static_cast<float>(of_mean),
            static_cast<float>(1 / squares),
            beta_1,
            1 - beta_1,
            beta_2,
            1 - beta_2,
            epsilon};
  }

  /// What is wrong with them.
  constexpr problem fault() const { return moments_fault(*this); }

 private:
  /// 0.96^0.004.
  static constexpr double schedule_decay = elementary::power(0.96, 0.004);

  constexpr double momentum_of(std::uint64_t update) const {
    const double decayed = elementary::power(schedule_decay, update);
    return elementary::product(static_cast<double>(beta_1), 1 - elementary::product(0.5, decayed));
  }

  /// Of the first updates up to one. Each of them is little more than a half, so that beyond some
  /// sixty the product no longer counts beside 1.
  constexpr double product_of_momenta(std::uint64_t update) const {
    constexpr double negligible = 0x1p-60;
    double product = 1;
    for (std::uint64_t i = 1; i <= update && product > negligible; ++i) {
      product = elementary::product(product, momentum_of(i));
    }
    return product;
  }
};

/// `optimizer<nadam>`: keeps two numbers beside every one of the parameters.
struct nadam {
  static constexpr problem fault{};
  static constexpr const family* rule = &nadam_family;
  using settings = nadam_settings;
};

}  // namespace ipu_dsl
