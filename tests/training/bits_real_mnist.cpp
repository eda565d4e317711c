// SPDX-License-Identifier: MIT
// The same numbers under every schedule, cut and number of threads, on real MNIST.
#include "training/real_mnist.hpp"
#include "training/tutorial_bits.hpp"

using namespace ipu_dsl;

TEST_CASE("schedules, cuts and threads give the same bits on real MNIST") {
  const std::optional<mnist::data> digits = tests::real_mnist();
  if (digits) {
    tests::check_tutorial_bits(digits->train, 40);
  }
}
