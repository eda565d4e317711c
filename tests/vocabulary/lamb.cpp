// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/lamb.hpp: updates against a float64 reference, what a norm of zero
// does, what is refused.
#include <cmath>
#include <vector>

#include <ipu_dsl/operators/parameter_sums.hpp>
#include <ipu_dsl/vocabulary/optimizers/lamb.hpp>

#include "whole_updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr lamb_settings rates{.learning_rate = 0.01F, .weight_decay = 0.1F};

/// TensorFlow Addons' update, word by word.
struct exact_lamb {
  static void update(std::vector<exact_number>& all, const std::vector<double>& gradient,
                     double step) {
    const auto beta_1 = static_cast<double>(rates.beta_1);
    const auto beta_2 = static_cast<double>(rates.beta_2);
    double of_w = 0;
    double of_step = 0;
    std::vector<double> steps;
    for (std::size_t i = 0; i < all.size(); ++i) {
      exact_number& each = all[i];
      each.kept[0] = beta_1 * each.kept[0] + (1 - beta_1) * gradient[i];
      each.kept[1] = beta_2 * each.kept[1] + (1 - beta_2) * gradient[i] * gradient[i];
      const double mean = each.kept[0] / (1 - std::pow(beta_1, step));
      const double square = each.kept[1] / (1 - std::pow(beta_2, step));
      steps.push_back(mean / (std::sqrt(square) + static_cast<double>(rates.epsilon)) +
                      static_cast<double>(rates.weight_decay) * each.w);
      of_w += each.w * each.w;
      of_step += steps.back() * steps.back();
    }
    const double ratio = std::sqrt(of_w) / std::sqrt(of_step);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].w -= ratio * rates.learning_rate.at(0) * steps[i];
    }
  }
};

constexpr parameter_extents small{storage::panel_bias, shape{5}};

static_assert(!lamb_settings{}.fault().found());
static_assert(!lamb_family.elementwise && lamb_family.sums.stages() == 1);
static_assert(lamb_settings{}.epsilon == 1e-6F && lamb_settings{}.weight_decay == 0);

}  // namespace

TEST_CASE("lamb's updates are TensorFlow Addons'") {
  check_whole_parameters<lamb>("lamb", rates, exact_lamb());
}

TEST_CASE("where a norm is zero lamb steps by the rate alone") {
  // Weights of zero and a gradient: m / sqrt(v) is 1 in the first update.
  whole_parameter<lamb, small> from_zero;
  from_zero.gradient[0] = 4;
  from_zero.update({.learning_rate = 0.5F}, 1, 1);
  CHECK(from_zero.w[0] == Approx(-0.5).epsilon(1e-5));
  CHECK(from_zero.w[1] == 0);
  // No gradient: nothing moves, whatever the weights.
  whole_parameter<lamb, small> still;
  still.w[2] = 3;
  still.update({.learning_rate = 0.5F}, 1, 1);
  CHECK(still.w[2] == 3);
  CHECK(still.w[0] == 0);
}

TEST_CASE("settings that lamb cannot use are refused") {
  CHECK(refusal_of(lamb_settings{.beta_1 = 1}) ==
        "expected a beta_1 of at least 0 and below 1, got 1");
  CHECK(refusal_of(lamb_settings{.weight_decay = -1}) ==
        "expected a weight_decay of at least 0, got -1");
  CHECK(refusal_of(lamb_settings{.epsilon = 0}) == "expected an epsilon above 0, at most 1, got 0");
}
