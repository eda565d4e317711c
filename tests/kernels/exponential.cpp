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

TEST_CASE("exp of what is not positive has the bits of exp where those are of a normal number") {
  int normal = 0;
  for (float x = 0.0F; x > -110.0F; x -= 0x1p-12F) {
    const float all = kernels::exponential(x);
    const float seen = kernels::exponential_below_one(x);
    const bool same = all >= 0x1p-126F ? seen == all : seen == 0.0F || seen == all;
    normal += all >= 0x1p-126F ? 1 : 0;
    if (!same) {
      CAPTURE(x, all, seen);
      CHECK(same);
    }
  }
  std::printf("exponential_below_one: checked %d normal numbers\n", normal);
  CHECK(normal > 350'000);
  CHECK(kernels::exponential_below_one(-infinity) == 0.0F);
  CHECK(std::isnan(kernels::exponential_below_one(not_a_number)));
}

TEST_CASE("two to a power is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "two_to_power", [](auto t) { return kernels::two_to_power(t); },
      [](double t) { return std::exp2(t); }, -126.0F, 0.0F);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= (layout::native.fused_multiply_add ? 1.0 : 2.0));
  CHECK(seen.differing == 0);
  CHECK(kernels::two_to_power(0.0F) == 1.0F);
  CHECK(kernels::two_to_power(-128.0F) == 0.0F);
  CHECK(kernels::two_to_power(-infinity) == 0.0F);
  CHECK(std::isnan(kernels::two_to_power(not_a_number)));
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
