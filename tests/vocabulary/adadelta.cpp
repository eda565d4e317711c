// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adadelta.hpp: twenty updates against Keras's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/adadelta.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr adadelta_settings settings{.learning_rate = 1, .rho = 0.8F, .epsilon = 1e-4F};

/// Tensorflow 2.4, its kernel ApplyAdadelta.
struct exact_adadelta : exact_number {
  void update(double gradient, double) {
    const auto rho = static_cast<double>(settings.rho);
    const auto epsilon = static_cast<double>(settings.epsilon);
    kept[0] = rho * kept[0] + (1 - rho) * gradient * gradient;
    const double step = std::sqrt(kept[1] + epsilon) / std::sqrt(kept[0] + epsilon) * gradient;
    kept[1] = rho * kept[1] + (1 - rho) * step * step;
    w -= settings.learning_rate.at(0) * step;
  }
};

}  // namespace

TEST_CASE("adadelta's updates are those of the paper") {
  check_updates<adadelta_rule>("adadelta", settings, exact_adadelta());
  check_padding<adadelta_rule>(settings);
}

TEST_CASE("settings that adadelta cannot use are refused") {
  CHECK(refusal_of(adadelta_settings{.rho = -0.5F}) ==
        "expected a rho of at least 0 and below 1, got -0.5");
  CHECK(refusal_of(adadelta_settings{}) == "nothing is refused");
}
