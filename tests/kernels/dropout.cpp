// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/dropout.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::dropout_mask;
using test::lanes;

namespace {

/// Rows of ones.
test::buffer ones(int rows, int units) {
  test::buffer x = test::random_rows(rows, units, 131);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x[i] = x[i] != 0.0F ? 1.0F : 0.0F;
  }
  return x;
}

}  // namespace

TEST_CASE("the mask is a function of seed, stream and logical index alone") {
  constexpr int rows = 12;
  int checked = 0;
  for (const int units : {1, 3, 10, lanes - 1, lanes, lanes + 1}) {
    const test::buffer x = ones(rows, units);
    const std::int64_t stride = layout::row_stride(units);
    const dropout_mask mask{7, 3, 1000, 0.4F};
    test::buffer whole(x.size());
    kernels::dropout(x.data(), whole.data(), rows, units, mask);
    test::buffer parts(x.size());
    for (int part = 0; part < 4; ++part) {
      dropout_mask later = mask;
      later.first_element += static_cast<std::uint64_t>(3 * part * units);
      kernels::dropout(x.data() + 3 * part * stride, parts.data() + 3 * part * stride, 3, units,
                       later);
    }
    CHECK(test::same_bits(whole.view(), parts.view()));
    for (int row = 0; row < rows; ++row) {
      for (int n = 0; n < units; ++n) {
        const std::uint64_t index = 1000 + static_cast<std::uint64_t>(row * units + n);
        const bool dropped = uniform_unit(random_word(7, 3, index)) < 0.4F;
        CHECK(whole[row * stride + n] == (dropped ? 0.0F : 1.0F / (1.0F - 0.4F)));
        ++checked;
      }
    }
    CHECK(test::padding_is_zero(whole, rows, units));
    CHECK(whole.intact());
  }
  CHECK(checked > 0);
  std::printf("dropout: checked %d elements\n", checked);
}

TEST_CASE("backward lets through what forward kept") {
  const test::buffer x = ones(9, 10);
  const test::buffer gradient = test::random_rows(9, 10, 132);
  const dropout_mask mask{1, 2, 0, 0.5F};
  test::buffer y(x.size());
  test::buffer dx(x.size());
  kernels::dropout(x.data(), y.data(), 9, 10, mask);
  kernels::dropout(gradient.data(), dx.data(), 9, 10, mask);
  int kept = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    CHECK(dx[i] == gradient[i] * y[i]);
    kept += y[i] != 0.0F ? 1 : 0;
  }
  CHECK(kept > 0);
  CHECK(kept < 90);
}

TEST_CASE("the share of dropped elements is the rate, and the mean is kept") {
  constexpr int rows = 400;
  constexpr int units = 100;
  const test::buffer x = ones(rows, units);
  test::buffer y(x.size());
  kernels::dropout(x.data(), y.data(), rows, units, {11, 0, 0, 0.25F});
  double sum = 0.0;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    sum += test::wide(y[i]);
  }
  // The mean of n kept-or-dropped elements has the deviation sqrt(rate / (1 - rate) / n); five of
  // them.
  const double count = rows * units;
  CHECK(std::fabs(sum / count - 1.0) < 5.0 * std::sqrt(0.25 / 0.75 / count));
}

TEST_CASE("rate zero changes nothing") {
  const test::buffer x = test::random_rows(3, 10, 133);
  test::buffer y(x.size());
  kernels::dropout(x.data(), y.data(), 3, 10, {5, 6, 7, 0.0F});
  CHECK(test::same_bits(x.view(), y.view()));
}
