// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/softmax.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

int checked = 0;

void check_softmax(int rows, int units) {
  const test::buffer x = test::random_rows(rows, units, 81, 6.0F);
  const test::buffer gradient = test::random_rows(rows, units, 82);
  test::buffer y(x.size());
  test::buffer dx(x.size());
  kernels::softmax_forward(x.data(), y.data(), rows, units);
  kernels::softmax_gradient(gradient.data(), y.data(), dx.data(), rows, units);
  const std::int64_t stride = layout::row_stride(units);
  // The exponent (at most 12) is rounded once, e^x is off by 2 u, the sum by units u, the quotient
  // by u; the gradient adds a chain of `units` steps, a difference and a product.
  const double of_value = (12.0 + 2.0 + units + 1.0) * test::unit_roundoff;
  const double of_gradient = (2.0 * of_value + (2.0 * units + 3.0) * test::unit_roundoff) * 2.0;
  int wrong = 0;
  for (std::int64_t first = 0; first < rows * stride; first += stride) {
    double sum = 0.0;
    double mean = 0.0;
    for (std::int64_t i = first; i < first + units; ++i) {
      sum += std::exp(wide(x[i]));
      mean += std::exp(wide(x[i])) * wide(gradient[i]);
    }
    for (std::int64_t i = first; i < first + units; ++i) {
      const double value = std::exp(wide(x[i])) / sum;
      const double slope = value * (wide(gradient[i]) - mean / sum);
      wrong += std::fabs(wide(y[i]) - value) <= of_value * value ? 0 : 1;
      wrong += std::fabs(wide(dx[i]) - slope) <= of_gradient ? 0 : 1;
      ++checked;
    }
  }
  INFO(rows << " x " << units);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, rows, units));
  CHECK(test::padding_is_zero(dx, rows, units));
  CHECK(y.intact());
  CHECK(dx.intact());
  test::buffer in_place = x;
  kernels::softmax_forward(in_place.data(), in_place.data(), rows, units);
  CHECK(test::same_bits(in_place.view(), y.view()));
}

}  // namespace

TEST_CASE("softmax and its gradient agree with float64, padding stays zero") {
  checked = 0;
  for (const int units : {1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, 10, 33}) {
    check_softmax(1, units);
    check_softmax(7, units);
  }
  CHECK(checked > 0);
  std::printf("softmax: checked %d elements\n", checked);
}

namespace {

void check_log_softmax(int rows, int units) {
  const test::buffer x = test::random_rows(rows, units, 84, 6.0F);
  const test::buffer gradient = test::random_rows(rows, units, 85);
  test::buffer y(x.size());
  test::buffer dx(x.size());
  kernels::log_softmax_forward(x.data(), y.data(), rows, units);
  kernels::log_softmax_gradient(gradient.data(), y.data(), dx.data(), rows, units);
  const std::int64_t stride = layout::row_stride(units);
  // The difference to the largest (at most 12) and its result (at most 12 + ln units) are rounded
  // once each; the logarithm of a sum that is off by units + 2 u is off by as much and 4 u of its
  // own. The gradient takes the exponential of that, 2 u more, and a chain of `units` steps.
  const double of_value = (2 * 12.0 + 4 + 4 + units + 2.0) * test::unit_roundoff;
  const double of_gradient = (of_value + (2.0 * units + 4.0) * test::unit_roundoff) * (units + 1);
  int wrong = 0;
  for (std::int64_t first = 0; first < rows * stride; first += stride) {
    double sum = 0.0;
    double all = 0.0;
    for (std::int64_t i = first; i < first + units; ++i) {
      sum += std::exp(wide(x[i]));
      all += wide(gradient[i]);
    }
    for (std::int64_t i = first; i < first + units; ++i) {
      const double value = wide(x[i]) - std::log(sum);
      const double slope = wide(gradient[i]) - std::exp(value) * all;
      wrong += std::fabs(wide(y[i]) - value) <= of_value ? 0 : 1;
      wrong += std::fabs(wide(dx[i]) - slope) <= of_gradient ? 0 : 1;
      ++checked;
    }
  }
  INFO(rows << " x " << units);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, rows, units));
  CHECK(test::padding_is_zero(dx, rows, units));
  CHECK(y.intact());
  CHECK(dx.intact());
}

}  // namespace

TEST_CASE("the logarithm of softmax and its gradient agree with float64, padding stays zero") {
  checked = 0;
  for (const int units : {1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, 10, 33}) {
    check_log_softmax(1, units);
    check_log_softmax(7, units);
  }
  CHECK(checked > 0);
  std::printf("log_softmax: checked %d elements\n", checked);
}

TEST_CASE("the logarithm of softmax is finite where softmax is zero") {
  test::buffer row(layout::row_stride(2), 0.0F);
  row[1] = -500.0F;
  kernels::log_softmax_forward(row.data(), row.data(), 1, 2);
  CHECK(row[0] == 0.0F);
  CHECK(row[1] == -500.0F);
}

namespace {

/// The sum of the exponentials of a row, as it is said to be added up.
float chained_exponentials(const test::buffer& x, int units) {
  float chains[16] = {};
  for (int n = 0; n < units; ++n) {
    float& chain = chains[units > 16 ? n % 16 : 0];
    chain = chain + kernels::exponential(x[n] - 1.0F);
  }
  float sum = 0.0F;
  for (const float chain : chains) {
    sum = sum + chain;
  }
  return sum;
}

template <layout::architecture Architecture>
int check_sums(const test::buffer& x) {
  int compared = 0;
  for (const int units : {1, 9, 15, 16, 17, 25, 33, 48, 61}) {
    const float expected = chained_exponentials(x, units);
    CHECK(test::same_bits(kernels::row_exponentials<Architecture>(x.data(), 1.0F, nullptr, units),
                          expected));
    test::buffer y(64, 1.0F);
    CHECK(test::same_bits(kernels::row_exponentials<Architecture>(x.data(), 1.0F, y.data(), units),
                          expected));
    for (int n = 0; n < layout::row_stride(units, Architecture); ++n) {
      CHECK(test::same_bits(y[n], n < units ? kernels::exponential(x[n] - 1.0F) : 0.0F));
    }
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("the sum of exponentials is sixteen chains, of up to sixteen one, whatever the vectors") {
  const test::buffer x = test::random_rows(1, 64, 83);
  constexpr std::int32_t registers = layout::native.registers;
  constexpr bool fused = layout::native.fused_multiply_add;
  int compared = check_sums<layout::native>(x);
  compared += check_sums<layout::architecture{4, registers, fused}>(x);
  CHECK(compared == 2 * 9);
}

TEST_CASE("the largest element may stand anywhere, padding never counts") {
  int checked_places = 0;
  for (const int units : {1, 3, lanes, lanes + 1, 2 * lanes + 3}) {
    for (int place = 0; place < units; ++place) {
      test::buffer row(layout::row_stride(units), 0.0F);
      for (int n = 0; n < units; ++n) {
        row[n] = n == place ? -1.0F : -2.0F;
      }
      CHECK(kernels::row_maximum<layout::native>(row.data(), units) == -1.0F);
      ++checked_places;
    }
  }
  CHECK(checked_places > 0);
}
