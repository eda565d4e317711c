// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adagrad.hpp: twenty updates against Keras's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/adagrad.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr adagrad_settings settings{.learning_rate = 0.01F};

/// Tensorflow 2.4, python/keras/optimizer_v2/adagrad.py.
struct exact_adagrad : exact_number {
  void update(double gradient, double) {
    kept[0] += gradient * gradient;
    w -= settings.learning_rate.at(0) * gradient /
         (std::sqrt(kept[0]) + static_cast<double>(settings.epsilon));
  }
};

static_assert(settings.initial_accumulator_value == 0.1F);
static_assert(settings.kept_at_first("accumulator") == 0.1F);

}  // namespace

TEST_CASE("adagrad's updates are those of the paper, from what its sums begin with") {
  exact_adagrad begin;
  begin.kept[0] = static_cast<double>(settings.initial_accumulator_value);
  check_updates<adagrad_rule>("adagrad", settings, begin, {.scale = {1, 8}});
  check_padding<adagrad_rule>(settings);
}

TEST_CASE("settings that adagrad cannot use are refused") {
  CHECK(refusal_of(adagrad_settings{.initial_accumulator_value = -1}) ==
        "expected an initial_accumulator_value of at least 0, got -1");
  CHECK(refusal_of(adagrad_settings{.initial_accumulator_value = 0}) == "nothing is refused");
}
