// SPDX-License-Identifier: MIT
// Tests of kernels/update.hpp with the rules of vocabulary/optimizers/sgd.hpp.
#include <ipu_dsl/kernels/update.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

constexpr int elements = 5 * lanes;
constexpr float rate = 0.013F;
constexpr float decay = 0.9F;

struct state {
  test::buffer w = test::random_rows(1, elements, 51);
  test::buffer velocity = test::random_rows(1, elements, 52);
  test::buffer gradient = test::random_rows(1, elements, 53);
};

/// At most four roundings of values below 3 separate the result from the exact one.
constexpr double tolerance = 4.0 * 3.0 * test::unit_roundoff;

bool near(float got, double exact) {
  return std::fabs(wide(got) - exact) <= tolerance;
}

}  // namespace

TEST_CASE("plain descent is w - rate * gradient in one rounding") {
  const state before;
  state after;
  kernels::update_elements<sgd_rule>({after.w.data()}, after.gradient.data(), elements, {rate});
  int checked = 0;
  for (int i = 0; i < elements; ++i) {
    CHECK(test::same_bits(after.w[i], test::chain_step(-rate, before.gradient[i], before.w[i])));
    CHECK(near(after.w[i], wide(before.w[i]) - wide(rate) * wide(before.gradient[i])));
    ++checked;
  }
  CHECK(after.w.intact());
  CHECK(checked == elements);
  std::printf("sgd: checked %d updates\n", checked);
}

TEST_CASE("momentum keeps the rate in the velocity, as Keras does") {
  const state before;
  state after;
  kernels::update_elements<sgd_momentum_rule>({after.w.data(), {after.velocity.data()}},
                                              after.gradient.data(), elements, {rate, decay});
  int checked = 0;
  for (int i = 0; i < elements; ++i) {
    const double velocity =
        wide(decay) * wide(before.velocity[i]) - wide(rate) * wide(before.gradient[i]);
    CHECK(near(after.velocity[i], velocity));
    CHECK(near(after.w[i], wide(before.w[i]) + velocity));
    ++checked;
  }
  CHECK(after.w.intact());
  CHECK(after.velocity.intact());
  CHECK(checked == elements);
}

TEST_CASE("Nesterov's momentum steps ahead of the velocity") {
  const state before;
  state after;
  kernels::update_elements<sgd_nesterov_rule>({after.w.data(), {after.velocity.data()}},
                                              after.gradient.data(), elements, {rate, decay});
  int checked = 0;
  for (int i = 0; i < elements; ++i) {
    const double step = wide(rate) * wide(before.gradient[i]);
    const double velocity = wide(decay) * wide(before.velocity[i]) - step;
    CHECK(near(after.velocity[i], velocity));
    CHECK(near(after.w[i], wide(before.w[i]) + wide(decay) * velocity - step));
    ++checked;
  }
  CHECK(checked == elements);
}

TEST_CASE("without momentum and velocity the three rules agree") {
  const state before;
  state plain;
  state with_momentum;
  test::buffer velocity(elements, 0.0F);
  kernels::update_elements<sgd_rule>({plain.w.data()}, plain.gradient.data(), elements, {rate});
  kernels::update_elements<sgd_nesterov_rule>({with_momentum.w.data(), {velocity.data()}},
                                              with_momentum.gradient.data(), elements,
                                              {rate, 0.0F});
  CHECK(test::same_bits(plain.w.view(), with_momentum.w.view()));
  CHECK_FALSE(test::same_bits(plain.w.view(), before.w.view()));
}

TEST_CASE("padding stays zero under every rule") {
  test::buffer w(lanes, 0.0F);
  test::buffer velocity(lanes, 0.0F);
  const test::buffer gradient(lanes, 0.0F);
  const sgd_numbers numbers = {rate, decay};
  kernels::update_elements<sgd_rule>({w.data()}, gradient.data(), lanes, {numbers.rate});
  kernels::update_elements<sgd_momentum_rule>({w.data(), {velocity.data()}}, gradient.data(), lanes,
                                              numbers);
  kernels::update_elements<sgd_nesterov_rule>({w.data(), {velocity.data()}}, gradient.data(), lanes,
                                              numbers);
  for (int i = 0; i < lanes; ++i) {
    CHECK(w[i] == 0.0F);
    CHECK(velocity[i] == 0.0F);
  }
}
