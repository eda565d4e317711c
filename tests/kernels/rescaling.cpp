// SPDX-License-Identifier: MIT
#include <cmath>
#include <vector>

#include <ipu_dsl/kernels/rescaling.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

namespace {

/// Every byte, from an address that no vector begins at.
int check_bytes(int rows, int units, float scale, float offset) {
  std::vector<std::uint8_t> bytes(1 + static_cast<std::size_t>(rows * units));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 37);
  }
  const std::int32_t stride = layout::row_stride(units);
  test::buffer y(rows * stride, -1.0F);
  kernels::rescale(bytes.data() + 1, y.data(), rows, units, scale, offset);
  int checked = 0;
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int n = 0; n < units; ++n) {
      const std::uint8_t byte = bytes[static_cast<std::size_t>(1 + row * units + n)];
      const float expected = std::fma(static_cast<float>(byte), scale, offset);
      wrong += test::same_bits(y[row * stride + n], expected) ? 0 : 1;
      ++checked;
    }
  }
  INFO(rows << " x " << units);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, rows, units));
  CHECK(y.intact());
  return checked;
}

int check_floats(int rows, int units, float scale, float offset) {
  const test::buffer x = test::random_rows(rows, units, 91, 3.0F);
  test::buffer y(x.size(), -1.0F);
  kernels::rescale(x.data(), y.data(), rows, units, scale, offset);
  const std::int32_t stride = layout::row_stride(units);
  int checked = 0;
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int n = 0; n < units; ++n) {
      const int at = row * stride + n;
      wrong += test::same_bits(y[at], std::fma(x[at], scale, offset)) ? 0 : 1;
      ++checked;
    }
  }
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, rows, units));
  CHECK(y.intact());
  return checked;
}

}  // namespace

TEST_CASE("bytes and floats are scaled and moved with one rounding, padding stays zero") {
  int checked = 0;
  for (const int units : {1, lanes - 1, lanes, 15, 16, 17, 33, 784}) {
    checked += check_bytes(3, units, 1.0F / 255, 0.0F);
    checked += check_bytes(1, units, 2.0F / 255, -1.0F);
    checked += check_floats(3, units, 0.3F, 0.7F);
  }
  CHECK(checked > 0);
  std::printf("rescaling: checked %d numbers\n", checked);
}
