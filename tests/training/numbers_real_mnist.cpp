// SPDX-License-Identifier: MIT
// The tutorial on real MNIST against the float64 reference: 4 epochs of 500 micro-batches.
#include <cmath>
#include <cstdio>

#include <ipu_dsl/data/feed.hpp>

#include "support/catch2.hpp"
#include "training/real_mnist.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;

namespace {

/// Trains the library and the reference from the same weights on the same samples.
void check_seed(const mnist::data& digits, std::uint64_t seed) {
  constexpr int epochs = 4;
  constexpr int steps = 500;
  const auto run =
      tests::make_tutorial(tests::tutorial_schedule::grouped, tests::tutorial_cut, {.seed = seed});
  tests::tutorial_reference exact(run->weights());
  auto feed = make_feed(digits.train | shuffled(10'000) | repeated(), seed);
  auto same_feed = make_feed(digits.train | shuffled(10'000) | repeated(), seed);
  const auto losses = run->fit(feed, {.epochs = epochs, .steps_per_epoch = steps}).losses();
  const std::vector<double> expected_losses = exact.fit(same_feed, epochs * steps);
  REQUIRE(losses.size() == expected_losses.size());
  for (std::size_t i = 0; i < 64; ++i) {
    INFO("micro-batch " << i);
    CHECK(std::abs(static_cast<double>(losses[i]) - expected_losses[i]) <=
          1e-5 * expected_losses[i]);
  }
  auto test_feed = make_feed(digits.test, seed);
  auto same_test_feed = make_feed(digits.test, seed);
  const evaluation found = run->evaluate(test_feed);
  const evaluation expected = exact.evaluate(same_test_feed);
  CHECK(found.samples == 10'000);
  CHECK(found.accuracy >= 0.94);
  CHECK(std::abs(found.accuracy - expected.accuracy) <= 0.006);
  CHECK(std::abs(found.loss - expected.loss) <= 0.02);
  std::printf("real MNIST, seed %d: test accuracy %.4f (float64 %.4f), loss %.4f (float64 %.4f)\n",
              static_cast<int>(seed), found.accuracy, expected.accuracy, found.loss, expected.loss);
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
