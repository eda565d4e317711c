// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/ftrl.hpp: twenty updates against Keras's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/ftrl.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr ftrl_settings settings{.learning_rate = 0.05F,
                                 .l1_regularization_strength = 0.5F,
                                 .l2_regularization_strength = 0.25F,
                                 .l2_shrinkage_regularization_strength = 0.125F,
                                 .beta = 0.5F};

/// Tensorflow 2.4, its kernel ApplyFtrlV2 with the strength of l2 that
/// python/keras/optimizer_v2/ftrl.py gives it.
struct exact_ftrl : exact_number {
  ftrl_settings by = settings;

  void update(double gradient, double) {
    const double rate = by.learning_rate.at(0);
    const auto l1 = static_cast<double>(by.l1_regularization_strength);
    const double l2 = static_cast<double>(by.l2_regularization_strength) +
                      static_cast<double>(by.beta) / (2 * rate);
    const double shrunk =
        gradient + 2 * static_cast<double>(by.l2_shrinkage_regularization_strength) * w;
    const double sum = kept[0] + gradient * gradient;
    kept[1] += shrunk - (std::sqrt(sum) - std::sqrt(kept[0])) / rate * w;
    const double wanted = (kept[1] > 0 ? l1 : kept[1] < 0 ? -l1 : 0.0) - kept[1];
    w = std::abs(kept[1]) > l1 ? wanted / (std::sqrt(sum) / rate + 2 * l2) : 0;
    kept[0] = sum;
  }
};

}  // namespace

TEST_CASE("ftrl's updates are Keras's") {
  exact_ftrl begin;
  begin.kept[0] = static_cast<double>(settings.initial_accumulator_value);
  // Sums of squares grow to eight; what is linear is made of their roots over the rate.
  const update_tolerance allowed{.scale = {1, 8, 60}};
  check_updates<ftrl_rule>("ftrl", settings, begin, allowed);
  check_padding<ftrl_rule>(settings);
  begin.by = {.learning_rate = 0.05F};
  check_updates<ftrl_rule>("ftrl by default", begin.by, begin, allowed);
  check_padding<ftrl_rule>(begin.by);
}

TEST_CASE("ftrl's weights are zero where what is linear is within l1, and no number stays none") {
  constexpr ftrl_settings strict{.l1_regularization_strength = 2};
  float w = 0.5F;
  float kept[2] = {0.1F, 0.0F};
  ftrl_rule::apply<kernels::arithmetic>(w, kept, 0.001F, strict.numbers(1));
  CHECK(w == 0);
  ftrl_rule::apply<kernels::arithmetic>(w, kept, std::nanf(""), strict.numbers(2));
  CHECK(std::isnan(w));
}

TEST_CASE("settings that ftrl cannot use are refused") {
  CHECK(refusal_of(ftrl_settings{.l1_regularization_strength = -1}) ==
        "expected an l1_regularization_strength of at least 0, got -1");
  CHECK(refusal_of(ftrl_settings{.learning_rate = 0}) ==
        "expected a learning_rate that begins above 0, by which ftrl divides, got 0");
  CHECK(refusal_of(ftrl_settings{}) == "nothing is refused");
  constexpr ftrl_settings ending{.learning_rate =
                                     cosine_decay{.initial_learning_rate = 0.1F, .decay_steps = 5}};
  CHECK(std::isfinite(ending.numbers(100).inverse_rate));
  CHECK(ending.kept_at_first("accumulator") == 0.1F);
  CHECK(ending.kept_at_first("linear") == 0);
}
