// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/exponential.hpp>

#include "function_check.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("exp is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "exponential", [](auto x) { return kernels::exponential(x); },
      [](double x) { return std::exp(x); }, -test::largest_float, 88.72F);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= (layout::native.fused_multiply_add ? 1.0 : 2.0));
  CHECK(seen.differing == 0);
}

TEST_CASE("exp at the edges") {
  CHECK(kernels::exponential(0.0F) == 1.0F);
  CHECK(kernels::exponential(-0.0F) == 1.0F);
  CHECK(kernels::exponential(infinity) == infinity);
  CHECK(kernels::exponential(89.0F) == infinity);
  CHECK(kernels::exponential(-infinity) == 0.0F);
  CHECK(kernels::exponential(-103.0F) == 0x1p-149F);
  CHECK(std::isnan(kernels::exponential(not_a_number)));
}

TEST_CASE("expm1 is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "exponential_minus_one", [](auto x) { return kernels::exponential_minus_one(x); },
      [](double x) { return std::expm1(x); }, -test::largest_float, 88.0F);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= (layout::native.fused_multiply_add ? 2.0 : 3.0));
  CHECK(seen.differing == 0);
}

TEST_CASE("expm1 at the edges") {
  CHECK(kernels::exponential_minus_one(0.0F) == 0.0F);
  CHECK(kernels::exponential_minus_one(1e-30F) == 1e-30F);
  CHECK(kernels::exponential_minus_one(-infinity) == -1.0F);
  CHECK(std::isnan(kernels::exponential_minus_one(not_a_number)));
}
