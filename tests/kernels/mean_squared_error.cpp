// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/mean_squared_error.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

int checked = 0;

void check_error(int batch, int units, int valid) {
  const test::buffer prediction = test::random_rows(batch, units, 111);
  const test::buffer target = test::random_rows(batch, units, 112);
  test::buffer gradient(prediction.size());
  const float scale = 0.125F;
  float loss = 0.5F;
  kernels::mean_squared_error(prediction.data(), target.data(), batch, units, valid, scale, &loss,
                              gradient.data());
  const std::int64_t stride = layout::row_stride(units);
  double want = 0.5;
  int wrong = 0;
  for (int b = 0; b < batch; ++b) {
    for (int n = 0; n < units; ++n) {
      const std::int64_t i = b * stride + n;
      const double difference = wide(prediction[i]) - wide(target[i]);
      want += b < valid ? wide(scale) * difference * difference / units : 0.0;
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
  const double roundings = 3.0 + 2.0 * units + 1.0 + 2.0 * valid;
  CHECK(std::fabs(wide(loss) - want) <= roundings * test::unit_roundoff * want);
  CHECK(test::padding_is_zero(gradient, batch, units));
  CHECK(gradient.intact());
  float without_gradient = 0.5F;
  kernels::mean_squared_error(prediction.data(), target.data(), batch, units, valid, scale,
                              &without_gradient, nullptr);
  CHECK(test::same_bits(loss, without_gradient));
}

}  // namespace

TEST_CASE("mean squared error and its gradient agree with float64") {
  checked = 0;
  for (const int units : {1, lanes - 1, lanes, lanes + 1, 10, 2 * lanes + 1}) {
    check_error(1, units, 1);
    check_error(13, units, 13);
    check_error(8, units, 5);
  }
  CHECK(checked > 0);
  std::printf("mean_squared_error: checked %d gradients\n", checked);
}
