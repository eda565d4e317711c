// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adamax.hpp: twenty updates against Keras's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/adamax.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr adamax_settings settings{.learning_rate = 0.01F, .beta_2 = 0.9F};

/// Tensorflow 2.4, python/keras/optimizer_v2/adamax.py.
struct exact_adamax : exact_number {
  void update(double gradient, double step) {
    const auto beta_1 = static_cast<double>(settings.beta_1);
    const auto beta_2 = static_cast<double>(settings.beta_2);
    kept[0] = beta_1 * kept[0] + (1 - beta_1) * gradient;
    kept[1] = std::fmax(beta_2 * kept[1], std::abs(gradient));
    const double rate = settings.learning_rate.at(0) / (1 - std::pow(beta_1, step));
    w -= rate * kept[0] / (kept[1] + static_cast<double>(settings.epsilon));
  }
};

}  // namespace

TEST_CASE("adamax's updates are those of the paper") {
  check_updates<adamax_rule>("adamax", settings, exact_adamax());
  check_padding<adamax_rule>(settings);
}

TEST_CASE("settings that adamax cannot use are refused") {
  CHECK(refusal_of(adamax_settings{.beta_2 = 1}) ==
        "expected a beta_2 of at least 0 and below 1, got 1");
  CHECK(refusal_of(adamax_settings{}) == "nothing is refused");
}
