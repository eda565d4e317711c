// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/error_function.hpp>

#include "function_check.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("erf is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "error_function", [](auto x) { return kernels::error_function(x); },
      [](double x) { return std::erf(x); }, -test::largest_float, test::largest_float,
      test::smallest_normal);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= (layout::native.fused_multiply_add ? 2.0 : 3.0));
  CHECK(seen.differing == 0);
}

TEST_CASE("erf is odd and ends at one") {
  int checked = 0;
  for (float x = 0.0F; x < 8.0F; x += 0.03125F) {
    CHECK(kernels::error_function(-x) == -kernels::error_function(x));
    ++checked;
  }
  CHECK(checked == 256);
  CHECK(kernels::error_function(4.0F) == 1.0F);
  CHECK(kernels::error_function(std::numeric_limits<float>::infinity()) == 1.0F);
  CHECK(std::isnan(kernels::error_function(std::numeric_limits<float>::quiet_NaN())));
}
