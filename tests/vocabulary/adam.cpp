// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/adam.hpp: twelve updates against a float64 reference, what is
// refused, and the same bits fused into the last weight gradient and apart.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

/// What the rule does with floats.
struct float_arithmetic {
  static float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }

  static float divide(float a, float b) { return a / b; }

  static float square_root(float a) { return std::sqrt(a); }
};

struct moments {
  double w = 0.5;
  double mean = 0;
  double square = 0;

  /// Algorithm 1 of the paper in the form of its section 2.
  void update(double gradient, double step, const adam_settings& settings) {
    const auto beta_1 = static_cast<double>(settings.beta_1);
    const auto beta_2 = static_cast<double>(settings.beta_2);
    mean = beta_1 * mean + (1 - beta_1) * gradient;
    square = beta_2 * square + (1 - beta_2) * gradient * gradient;
    const double rate = settings.learning_rate.at(0) * std::sqrt(1 - std::pow(beta_2, step)) /
                        (1 - std::pow(beta_1, step));
    w -= rate * mean / (std::sqrt(square) + static_cast<double>(settings.epsilon));
  }
};

struct linear_points : model<input<8>, pipeline<stage<Dense<6, relu>>, stage<Dense<3>>>> {};

template <typename... Options>
struct training : compile<linear_points, micro_batch<8>, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy>, optimizer<adam>, Options...> {};

template <typename Training>
std::uint64_t trained_weights(int threads) {
  session<Training> run({.learning_rate = 0.01F}, {.threads = threads});
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
  const adam_settings settings{.learning_rate = 0.01F};
  moments exact;
  float w = 0.5F;
  std::array<float, 2> kept{};
  int compared = 0;
  for (int step = 1; step <= 12; ++step) {
    const float gradient = 0.3F * static_cast<float>(step % 5) - 0.4F;
    adam_rule::apply<float_arithmetic>(w, kept.data(), gradient,
                                       settings.numbers(static_cast<std::uint64_t>(step)));
    exact.update(static_cast<double>(gradient), step, settings);
    // Each step rounds some ten times; steps are at most the rate times some three.
    const double tolerance = step * 16 * 0x1p-24;
    CHECK(std::abs(static_cast<double>(w) - exact.w) <= tolerance);
    CHECK(std::abs(static_cast<double>(kept[0]) - exact.mean) <= tolerance);
    CHECK(std::abs(static_cast<double>(kept[1]) - exact.square) <= tolerance);
    ++compared;
  }
  CHECK(compared == 12);
  std::printf("adam: compared %d updates\n", compared);
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
