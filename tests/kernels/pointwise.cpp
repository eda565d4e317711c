// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/pointwise.hpp>
#include <ipu_dsl/vocabulary/losses/mean_squared_error.hpp>
#include <ipu_dsl/vocabulary/metrics/binary_accuracy.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

int checked = 0;

/// Extents around the width of vectors and around the sixteen chains of a sum.
constexpr int units_tried[] = {1, lanes - 1, lanes, lanes + 1, 10, 2 * lanes + 1, 16, 17, 31, 47};

void check_error(int batch, int units, int valid) {
  const test::buffer prediction = test::random_rows(batch, units, 111);
  const test::buffer target = test::random_rows(batch, units, 112);
  test::buffer gradient(prediction.size());
  const float scale = 0.125F;
  const double sum =
      kernels::pointwise_sum<squared_error_rule{}>(prediction.data(), target.data(), units, valid);
  kernels::pointwise_gradient<squared_error_rule{}>(prediction.data(), target.data(), batch, units,
                                                    valid, scale, gradient.data());
  const std::int64_t stride = layout::row_stride(units);
  double want = 0;
  int wrong = 0;
  for (int b = 0; b < batch; ++b) {
    for (int n = 0; n < units; ++n) {
      const std::int64_t i = b * stride + n;
      const double difference = wide(prediction[i]) - wide(target[i]);
      want += b < valid ? difference * difference / units : 0.0;
      const double slope = b < valid ? 2.0 * wide(scale) * difference / units : 0.0;
      // Difference, factor (two roundings) and product.
      wrong += std::fabs(wide(gradient[i]) - slope) <= 4.0 * test::unit_roundoff * std::fabs(slope)
                   ? 0
                   : 1;
      ++checked;
    }
  }
  INFO("batch " << batch << ", units " << units << ", valid " << valid);
  CHECK(wrong == 0);
  // A square is off by 3 u, the chains by a rounding a step; all terms are positive.
  const double roundings = 3.0 + units + 16.0;
  CHECK(std::fabs(sum - want) <= roundings * test::unit_roundoff * want);
  CHECK(test::padding_is_zero(gradient, batch, units));
  CHECK(gradient.intact());
}

/// Sixteen chains, then their sum, as the kernel must have it on every width of vectors.
float chains_of(const float* predicted, const float* wanted, int units) {
  float chains[16] = {};
  for (int n = 0; n < units; ++n) {
    const float difference = predicted[n] - wanted[n];
    chains[n % 16] = kernels::multiply_add(difference, difference, chains[n % 16]);
  }
  float sum = 0;
  for (const float chain : chains) {
    sum += chain;
  }
  return sum;
}

}  // namespace

TEST_CASE("mean squared error and its gradient agree with float64") {
  checked = 0;
  for (const int units : units_tried) {
    check_error(1, units, 1);
    check_error(13, units, 13);
    check_error(8, units, 5);
    check_error(3, units, 0);
  }
  CHECK(checked > 0);
  std::printf("pointwise: checked %d gradients\n", checked);
}

TEST_CASE("a sum over a sample is sixteen chains, whatever the vectors") {
  int compared = 0;
  for (const int units : units_tried) {
    const test::buffer x = test::random_rows(1, units, 113);
    const test::buffer y = test::random_rows(1, units, 114);
    const double expected = static_cast<double>(chains_of(x.data(), y.data(), units)) / units;
    CHECK(kernels::pointwise_sum<squared_error_rule{}>(x.data(), y.data(), units, 1) == expected);
    ++compared;
  }
  CHECK(compared == 10);
}

TEST_CASE("binary hits lie on the side of one half that the target says") {
  constexpr int units = 19;
  test::buffer predicted = test::random_rows(4, units, 115);
  test::buffer wanted(predicted.size());
  const std::int64_t stride = layout::row_stride(units);
  int hits = 0;
  for (int b = 0; b < 4; ++b) {
    for (int n = 0; n < units; ++n) {
      const std::int64_t i = b * stride + n;
      predicted[i] = n == 3 ? 0.5F : 0.5F + predicted[i];
      wanted[i] = (b + n) % 3 == 0 ? 1.0F : 0.0F;
      hits += (predicted[i] > 0.5F) == (wanted[i] == 1.0F) && b < 3 ? 1 : 0;
    }
  }
  const double mean =
      kernels::pointwise_sum<binary_hit_rule{}>(predicted.data(), wanted.data(), units, 3);
  CHECK(hits > 0);
  CHECK(std::fabs(mean - static_cast<double>(hits) / units) < 1e-12);
}
