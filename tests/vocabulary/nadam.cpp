// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/nadam.hpp: twenty updates against Keras 2.4's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/nadam.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr nadam_settings settings{.learning_rate = 0.01F};

double momentum_of(double step) {
  return static_cast<double>(settings.beta_1) * (1 - 0.5 * std::pow(0.96, 0.004 * step));
}

/// Tensorflow 2.4, python/keras/optimizer_v2/nadam.py.
struct exact_nadam : exact_number {
  double schedule = 1;

  void update(double gradient, double step) {
    const auto beta_1 = static_cast<double>(settings.beta_1);
    const auto beta_2 = static_cast<double>(settings.beta_2);
    const double now = momentum_of(step);
    const double next = momentum_of(step + 1);
    schedule *= now;
    kept[0] = beta_1 * kept[0] + (1 - beta_1) * gradient;
    kept[1] = beta_2 * kept[1] + (1 - beta_2) * gradient * gradient;
    const double mean =
        (1 - now) * (gradient / (1 - schedule)) + next * (kept[0] / (1 - schedule * next));
    const double square = kept[1] / (1 - std::pow(beta_2, step));
    w -= settings.learning_rate.at(0) * mean /
         (std::sqrt(square) + static_cast<double>(settings.epsilon));
  }
};

}  // namespace

TEST_CASE("nadam's updates are Keras's") {
  check_updates<nadam_rule>("nadam", settings, exact_nadam());
  check_padding<nadam_rule>(settings);
}

TEST_CASE("nadam's numbers of a late update are those of a product over all updates") {
  double schedule = 1;
  int compared = 0;
  for (std::uint64_t update = 1; update <= 20'000; ++update) {
    const auto step = static_cast<double>(update);
    schedule *= momentum_of(step);
    if (update % 1'000 == 0 || update < 200) {
      const nadam_rule::numbers got = settings.numbers(update);
      const double rate = settings.learning_rate.at(0);
      const double of_gradient = rate * (1 - momentum_of(step)) / (1 - schedule);
      const double next = momentum_of(step + 1);
      const double of_mean = rate * next / (1 - schedule * next);
      CHECK(std::abs(static_cast<double>(got.of_gradient) / of_gradient - 1) <= 0x1p-23);
      CHECK(std::abs(static_cast<double>(got.of_mean) / of_mean - 1) <= 0x1p-23);
      ++compared;
    }
  }
  CHECK(compared == 219);
}

TEST_CASE("settings that nadam cannot use are refused") {
  CHECK(refusal_of(nadam_settings{.beta_1 = -1}) ==
        "expected a beta_1 of at least 0 and below 1, got -1");
  CHECK(refusal_of(nadam_settings{}) == "nothing is refused");
}
