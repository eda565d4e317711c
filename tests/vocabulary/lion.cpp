// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/lion.hpp: twenty updates against the paper's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/lion.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr lion_settings settings{.learning_rate = 0.01F};

struct exact_lion : exact_number {
  void update(double gradient, double) {
    const auto beta_1 = static_cast<double>(settings.beta_1);
    const auto beta_2 = static_cast<double>(settings.beta_2);
    const double direction = beta_1 * kept[0] + (1 - beta_1) * gradient;
    w -= settings.learning_rate.at(0) * (direction > 0 ? 1.0 : direction < 0 ? -1.0 : 0.0);
    kept[0] = beta_2 * kept[0] + (1 - beta_2) * gradient;
  }
};

}  // namespace

TEST_CASE("lion's updates are those of the paper") {
  check_updates<lion_rule>("lion", settings, exact_lion());
  check_padding<lion_rule>(settings);
}

TEST_CASE("lion does not hide what is not a number") {
  float w = 0.5F;
  float kept[1] = {0.0F};
  lion_rule::apply<kernels::arithmetic>(w, kept, std::nanf(""), settings.numbers(1));
  CHECK(std::isnan(w));
}

TEST_CASE("settings that lion cannot use are refused") {
  CHECK(refusal_of(lion_settings{.beta_2 = 1}) ==
        "expected a beta_2 of at least 0 and below 1, got 1");
  CHECK(refusal_of(lion_settings{}) == "nothing is refused");
}
