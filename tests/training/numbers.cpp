// SPDX-License-Identifier: MIT
// The tutorial's numbers against the float64 reference, on the program's own digits.
#include <cmath>
#include <cstdio>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/data/feed.hpp>

#include "support/catch2.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;

TEST_CASE("the first 64 losses of the tutorial are those of the float64 reference") {
  const digit_dataset digits = synthetic_digits(2'000, 21);
  const auto run =
      tests::make_tutorial(tests::tutorial_schedule::grouped, tests::tutorial_cut, {.seed = 4});
  tests::tutorial_reference exact(run->weights());
  auto feed = make_feed(digits | shuffled(1'000) | repeated(), 2);
  auto same_feed = make_feed(digits | shuffled(1'000) | repeated(), 2);
  const auto losses = run->fit(feed, {.steps_per_epoch = 64}).losses();
  const std::vector<double> expected = exact.fit(same_feed, 64);
  REQUIRE(losses.size() == 64);
  double worst = 0;
  int compared = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double error = std::abs(static_cast<double>(losses[i]) - expected[i]) / expected[i];
    INFO("micro-batch " << i << ": " << losses[i] << ", expected " << expected[i]);
    CHECK(error <= 1e-5);
    worst = std::max(worst, error);
    ++compared;
  }
  CHECK(compared == 64);
  CHECK(expected.back() < expected.front());
  std::printf("numbers: compared %d losses of the tutorial, worst relative error %.1e\n", compared,
              worst);
}

TEST_CASE("evaluate takes any number of samples") {
  const digit_dataset digits = synthetic_digits(1'000, 22);
  const auto run = tests::make_tutorial(tests::tutorial_schedule::interleaved, 3, {.seed = 5});
  auto training = make_feed(digits | repeated(), 2);
  run->fit(training, {.steps_per_epoch = 40});
  tests::tutorial_reference exact(run->weights());
  int compared = 0;
  for (const std::int64_t samples : {1, 31, 32, 33, 127, 128, 129, 333, 1'000}) {
    auto feed = make_feed(digits | take(samples), 1);
    const evaluation found = run->evaluate(feed);
    auto same_feed = make_feed(digits | take(samples), 1);
    const tests::reference_evaluation expected = exact.evaluate(same_feed);
    INFO(samples << " samples");
    CHECK(found.samples == samples);
    CHECK(expected.samples == samples);
    CHECK(std::abs(found.loss - expected.loss) <= 1e-5 * expected.loss);
    CHECK(std::abs(found.metrics["accuracy"] - expected.accuracy) < 1e-12);
    ++compared;
  }
  CHECK(compared == 9);
  std::printf("numbers: evaluated %d numbers of samples\n", compared);
}
