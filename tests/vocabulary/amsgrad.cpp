// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/amsgrad.hpp: twenty updates against Keras's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/amsgrad.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr adam_settings settings{.learning_rate = 0.01F, .beta_2 = 0.8F};

/// Tensorflow 2.4, python/keras/optimizer_v2/adam.py with amsgrad.
struct exact_amsgrad : exact_number {
  void update(double gradient, double step) {
    const auto beta_1 = static_cast<double>(settings.beta_1);
    const auto beta_2 = static_cast<double>(settings.beta_2);
    kept[0] = beta_1 * kept[0] + (1 - beta_1) * gradient;
    kept[1] = beta_2 * kept[1] + (1 - beta_2) * gradient * gradient;
    kept[2] = std::fmax(kept[2], kept[1]);
    const double rate = settings.learning_rate.at(0) * std::sqrt(1 - std::pow(beta_2, step)) /
                        (1 - std::pow(beta_1, step));
    w -= rate * kept[0] / (std::sqrt(kept[2]) + static_cast<double>(settings.epsilon));
  }
};

}  // namespace

TEST_CASE("amsgrad's updates are those of Keras's Adam with amsgrad") {
  check_updates<amsgrad_rule>("amsgrad", settings, exact_amsgrad());
  check_padding<amsgrad_rule>(settings);
  CHECK(refusal_of(amsgrad::settings{.beta_2 = 1}) ==
        "expected a beta_2 of at least 0 and below 1, got 1");
}
