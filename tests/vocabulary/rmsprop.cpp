// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/rmsprop.hpp: twenty updates against Keras 2.4's formulas in
// float64, and what is refused.
#include <cmath>

#include <ipu_dsl/vocabulary/optimizers/rmsprop.hpp>

#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct stranger {};

static_assert(rmsprop<>::rule == &rmsprop_family);
static_assert(rmsprop<momentum>::rule == &rmsprop_momentum_family);
static_assert(rmsprop<centered>::rule == &rmsprop_centered_family);
static_assert(rmsprop<centered, momentum>::rule == &rmsprop_centered_momentum_family);
static_assert(rmsprop<momentum, centered>::rule == &rmsprop_centered_momentum_family);
static_assert(!rmsprop<momentum, centered>::fault.found());
static_assert(rmsprop<stranger>::fault.hint.view() == "it takes momentum and centered");
static_assert(rmsprop<centered, centered>::fault.expected.view() == "one option for centered");
static_assert(rmsprop<>::settings{}.rho == 0.9F);

constexpr double rho = static_cast<double>(0.85F);
constexpr double rate = static_cast<double>(0.01F);
constexpr double velocity_kept = static_cast<double>(0.7F);
constexpr double epsilon = static_cast<double>(1e-3F);

/// Tensorflow 2.4, python/keras/optimizer_v2/rmsprop.py; with momentum its kernels
/// ApplyRMSProp and ApplyCenteredRMSProp.
template <bool Momentum, bool Centered>
struct exact_rmsprop : exact_number {
  void update(double gradient, double) {
    kept[0] = rho * kept[0] + (1 - rho) * gradient * gradient;
    double spread = kept[0];
    if (Centered) {
      double& mean = kept[Momentum ? 2 : 1];
      mean = rho * mean + (1 - rho) * gradient;
      spread -= mean * mean;
    }
    if (Momentum) {
      kept[1] = velocity_kept * kept[1] + rate * gradient / std::sqrt(spread + epsilon);
      w -= kept[1];
    } else {
      w -= rate * gradient / (std::sqrt(spread) + epsilon);
    }
  }
};

template <bool Momentum, bool Centered>
using rule = rmsprop_rule<Momentum, Centered>;

}  // namespace

TEST_CASE("rmsprop's updates are Keras's, with and without momentum and centering") {
  constexpr rmsprop<>::settings plain{.learning_rate = 0.01F, .rho = 0.85F, .epsilon = 1e-3F};
  constexpr rmsprop<centered>::settings about_mean{
      .learning_rate = 0.01F, .rho = 0.85F, .epsilon = 1e-3F};
  constexpr rmsprop<momentum>::settings moving{
      .learning_rate = 0.01F, .rho = 0.85F, .momentum = 0.7F, .epsilon = 1e-3F};
  constexpr rmsprop<momentum, centered>::settings both{
      .learning_rate = 0.01F, .rho = 0.85F, .momentum = 0.7F, .epsilon = 1e-3F};
  check_updates<rule<false, false>>("rmsprop", plain, exact_rmsprop<false, false>());
  check_updates<rule<false, true>>("rmsprop centered", about_mean, exact_rmsprop<false, true>());
  check_updates<rule<true, false>>("rmsprop momentum", moving, exact_rmsprop<true, false>());
  check_updates<rule<true, true>>("rmsprop both", both, exact_rmsprop<true, true>());
  check_padding<rule<true, true>>(both);
  check_padding<rule<false, false>>(plain);
}

TEST_CASE("a variance that rounding makes negative is zero") {
  constexpr rmsprop<centered>::settings settings;
  float w = 0.5F;
  float kept[2] = {0.25F, 0.50001F};
  rule<false, true>::apply<kernels::arithmetic>(w, kept, 0.0F, settings.numbers(1));
  CHECK(w == 0.5F);
}

TEST_CASE("settings that rmsprop cannot use are refused") {
  CHECK(refusal_of(rmsprop<>::settings{.rho = 1}) ==
        "expected a rho of at least 0 and below 1, got 1");
  CHECK(refusal_of(rmsprop<>::settings{.epsilon = 0}) ==
        "expected an epsilon above 0, at most 1, got 0");
  CHECK(refusal_of(rmsprop<momentum>::settings{.momentum = 2}) ==
        "expected a momentum of 0 to 1, got 2");
  CHECK(refusal_of(rmsprop<momentum>::settings{.learning_rate = -1}) ==
        "expected a learning_rate of at least 0, got -1");
  CHECK(refusal_of(rmsprop<momentum, centered>::settings{}) == "nothing is refused");
}
