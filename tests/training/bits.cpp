// SPDX-License-Identifier: MIT
// The same numbers under every schedule, cut and number of threads.
#include <ipu_dsl/data/digits.hpp>

#include "training/tutorial_bits.hpp"

using namespace ipu_dsl;

TEST_CASE("schedules, cuts and threads give the same bits on the program's own digits") {
  tests::check_tutorial_bits(synthetic_digits(2'000, 5), 10);
}

TEST_CASE("another order of samples gives other bits") {
  const digit_dataset digits = synthetic_digits(2'000, 5);
  const digit_dataset others = synthetic_digits(2'000, 6);
  const auto with = [](const digit_dataset& data) {
    return tests::train_tutorial(data, tests::tutorial_schedule::grouped, 2, 1, 2);
  };
  CHECK(with(digits).weights == with(digits).weights);
  CHECK(with(digits).weights != with(others).weights);
}
