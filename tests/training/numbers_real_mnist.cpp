// SPDX-License-Identifier: MIT
// The tutorial on real MNIST against the float64 reference: 4 epochs of 500 micro-batches.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/feed.hpp>

#include "support/catch2.hpp"
#include "training/real_mnist.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;

namespace {

constexpr int compared_losses = 64;

/// The reference's first losses; `which` says how its weights are moved before, 0 not at all.
std::vector<double> first_losses(const mnist::data& digits, std::uint64_t seed,
                                 const parameters& start, std::uint64_t which) {
  tests::tutorial_reference exact(start);
  if (which > 0) {
    exact.move_weights(which);
  }
  auto feed = make_feed(digits.train | shuffled(10'000) | repeated(), seed);
  return exact.fit(feed, compared_losses);
}

/// How far the reference's own losses move, as a part of them, when its weights move by what floats
/// round: [compared_losses], the most so far. Where a sample's sum passes zero under a relu they
/// jump, and from there on nothing more can be asked of floats.
std::vector<double> sensitivity_of(const mnist::data& digits, std::uint64_t seed,
                                   const parameters& start) {
  constexpr std::uint64_t trials = 8;
  const std::vector<double> exact = first_losses(digits, seed, start, 0);
  std::vector<double> most(compared_losses, 0);
  for (std::uint64_t which = 1; which <= trials; ++which) {
    const std::vector<double> moved = first_losses(digits, seed, start, which);
    double so_far = 0;
    for (std::size_t i = 0; i < most.size(); ++i) {
      so_far = std::max(so_far, std::abs(moved[i] - exact[i]) / exact[i]);
      most[i] = std::max(most[i], so_far);
    }
  }
  return most;
}

/// Trains the library and the reference from the same weights on the same samples.
void check_seed(const mnist::data& digits, std::uint64_t seed) {
  constexpr int epochs = 4;
  constexpr int steps = 500;
  const auto run =
      tests::make_tutorial(tests::tutorial_schedule::grouped, tests::tutorial_cut, {.seed = seed});
  tests::tutorial_reference exact(run->weights());
  const std::vector<double> sensitivity = sensitivity_of(digits, seed, run->weights());
  auto feed = make_feed(digits.train | shuffled(10'000) | repeated(), seed);
  auto same_feed = make_feed(digits.train | shuffled(10'000) | repeated(), seed);
  const auto losses = run->fit(feed, {.epochs = epochs, .steps_per_epoch = steps}).losses();
  const std::vector<double> expected_losses = exact.fit(same_feed, epochs * steps);
  REQUIRE(losses.size() == expected_losses.size());
  for (std::size_t i = 0; i < sensitivity.size(); ++i) {
    INFO("micro-batch " << i);
    CHECK(std::abs(static_cast<double>(losses[i]) - expected_losses[i]) <=
          (1e-5 + 2 * sensitivity[i]) * expected_losses[i]);
  }
  // Before the first jump the tolerance is that of rounding alone.
  CHECK(sensitivity[compared_losses / 2] < 1e-5);
  auto test_feed = make_feed(digits.test, seed);
  auto same_test_feed = make_feed(digits.test, seed);
  const evaluation found = run->evaluate(test_feed);
  const tests::reference_evaluation expected = exact.evaluate(same_test_feed);
  CHECK(found.samples == 10'000);
  CHECK(found.metrics["accuracy"] >= 0.94);
  CHECK(std::abs(found.metrics["accuracy"] - expected.accuracy) <= 0.006);
  CHECK(std::abs(found.loss - expected.loss) <= 0.02);
  std::printf("real MNIST, seed %d: test accuracy %.4f (float64 %.4f), loss %.4f (float64 %.4f)\n",
              static_cast<int>(seed), found.metrics["accuracy"], expected.accuracy, found.loss,
              expected.loss);
}

}  // namespace

TEST_CASE("the tutorial trains on real MNIST as the float64 reference does") {
  const std::optional<mnist::data> digits = tests::real_mnist();
  int checked = 0;
  for (std::uint64_t seed = 1; digits && seed <= 3; ++seed) {
    check_seed(*digits, seed);
    ++checked;
  }
  CHECK(checked == (digits ? 3 : 0));
}
