// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adamw.hpp: twenty updates against Keras's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/adamw.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr adamw_settings settings{.learning_rate = 0.01F, .weight_decay = 0.3F};

/// Keras 2.11, optimizers/adamw.py: weights decay first.
struct exact_adamw : exact_number {
  void update(double gradient, double step) {
    const auto beta_1 = static_cast<double>(settings.beta_1);
    const auto beta_2 = static_cast<double>(settings.beta_2);
    w -= w * static_cast<double>(settings.weight_decay) * settings.learning_rate.at(0);
    kept[0] = beta_1 * kept[0] + (1 - beta_1) * gradient;
    kept[1] = beta_2 * kept[1] + (1 - beta_2) * gradient * gradient;
    const double rate = settings.learning_rate.at(0) * std::sqrt(1 - std::pow(beta_2, step)) /
                        (1 - std::pow(beta_1, step));
    w -= rate * kept[0] / (std::sqrt(kept[1]) + static_cast<double>(settings.epsilon));
  }
};

static_assert(adamw_settings{}.weight_decay == 0.004F);

}  // namespace

TEST_CASE("adamw's updates are Keras's") {
  check_updates<adamw_rule>("adamw", settings, exact_adamw());
  check_padding<adamw_rule>(settings);
}

TEST_CASE("adamw without decay has adam's bits") {
  constexpr adamw_settings none{.weight_decay = 0};
  constexpr adam_settings of_adam;
  float w[2] = {0.5F, 0.5F};
  float kept[2][2] = {};
  int compared = 0;
  for (std::uint64_t step = 1; step <= 10; ++step) {
    const float gradient = drawn_number(3, step);
    adamw_rule::apply<kernels::arithmetic>(w[0], kept[0], gradient, none.numbers(step));
    adam_rule::apply<kernels::arithmetic>(w[1], kept[1], gradient, of_adam.numbers(step));
    compared += w[0] == w[1] && w[0] != 0.5F ? 1 : 0;
  }
  CHECK(compared == 10);
}

TEST_CASE("settings that adamw cannot use are refused") {
  CHECK(refusal_of(adamw_settings{.weight_decay = -1}) ==
        "expected a weight_decay of at least 0, got -1");
  CHECK(refusal_of(adamw_settings{.beta_1 = 1}) ==
        "expected a beta_1 of at least 0 and below 1, got 1");
}
