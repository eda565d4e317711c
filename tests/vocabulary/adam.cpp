// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adam.hpp: twenty updates against a float64 reference, what is
// refused, and the same bits fused into the last weight gradient and apart.
#include <cmath>
#include <string>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "updates.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr adam_settings adam_rates{.learning_rate = 0.01F};

/// Algorithm 1 of the paper in the form of its section 2.
struct exact_adam : exact_number {
  void update(double gradient, double step) {
    const auto beta_1 = static_cast<double>(adam_rates.beta_1);
    const auto beta_2 = static_cast<double>(adam_rates.beta_2);
    kept[0] = beta_1 * kept[0] + (1 - beta_1) * gradient;
    kept[1] = beta_2 * kept[1] + (1 - beta_2) * gradient * gradient;
    const double rate = adam_rates.learning_rate.at(0) * std::sqrt(1 - std::pow(beta_2, step)) /
                        (1 - std::pow(beta_1, step));
    w -= rate * kept[0] / (std::sqrt(kept[1]) + static_cast<double>(adam_rates.epsilon));
  }
};

struct linear_points : model<input<8>, pipeline<stage<Dense<6, relu>>, stage<Dense<3>>>> {};

template <typename... Options>
struct training : compile<linear_points, micro_batch<8>, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy>, optimizer<adam>, Options...> {};

template <typename Training>
std::uint64_t trained_weights(int threads) {
  session<Training> run({.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0});
  const point_set data = labelled_points(320, 1);
  run.fit(data | repeated(), {.steps_per_epoch = 40});
  return run.weights().fingerprint();
}

std::string refused(const adam_settings& settings) {
  session<training<grouped>> run;
  try {
    run.set_optimizer(settings);
  } catch (const error& found) {
    return found.what();
  }
  return "nothing was refused";
}

static_assert(!adam_settings{}.fault().found());

}  // namespace

TEST_CASE("adam's updates are those of the paper") {
  check_updates<adam_rule>("adam", adam_rates, exact_adam());
  check_padding<adam_rule>(adam_rates);
}

TEST_CASE("adam learns, with the same bits on every schedule and number of threads") {
  const std::uint64_t expected = trained_weights<training<grouped>>(1);
  CHECK(trained_weights<training<grouped>>(2) == expected);
  CHECK(trained_weights<training<interleaved>>(2) == expected);
  CHECK(trained_weights<training<sequential_schedule>>(1) == expected);
  session<training<grouped>> run({.learning_rate = 0.01F});
  const point_set data = labelled_points(320, 1);
  const double before = run.evaluate(data).loss;
  run.fit(data | repeated(), {.steps_per_epoch = 400});
  CHECK(run.evaluate(data).loss < 0.5 * before);
}

TEST_CASE("settings that adam cannot use are refused") {
  CHECK(refused({.learning_rate = -1}) ==
        "the optimizer: expected a learning_rate of at least 0, got -1");
  CHECK(refused({.beta_1 = 1}) ==
        "the optimizer: expected a beta_1 of at least 0 and below 1, got 1");
  CHECK(refused({.beta_2 = -0.5F}) ==
        "the optimizer: expected a beta_2 of at least 0 and below 1, got -0.5");
  CHECK(refused({.epsilon = 0}) == "the optimizer: expected an epsilon above 0, at most 1, got 0");
}
