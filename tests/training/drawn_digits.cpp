// SPDX-License-Identifier: MIT
// What the example's default run reaches on digits that the program draws itself. That a linear
// classifier stays behind on them is the matter of tests/data/digits.cpp.
#include <cstdio>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/layout/architecture.hpp>

#include "support/catch2.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;

TEST_CASE("the tutorial's model reads drawn digits") {
  const auto drawn = synthetic_digits(60'000, 1);
  const auto unseen = synthetic_digits(10'000, 2);
  const auto run =
      tests::make_tutorial(tests::tutorial_schedule::grouped, tests::tutorial_cut, {.seed = 1});
  auto batches = make_feed(drawn | shuffled(10'000) | repeated(), 1);
  run->fit(batches, {.epochs = 4, .steps_per_epoch = 500});
  auto test = make_feed(unseen, 1);
  const evaluation found = run->evaluate(test);
  std::printf("drawn digits: test accuracy %.4f on %d\n", found.metrics["accuracy"],
              static_cast<int>(found.samples));
  CHECK(found.samples == 10'000);
  CHECK(found.metrics["accuracy"] >= 0.95);
  // What `mnist` prints without arguments, on every compiler and processor with fused multiply-add.
  if (layout::native.fused_multiply_add) {
    CHECK(run->weights().fingerprint() == 0x01bebbf5a6cb0273U);
  }
}
