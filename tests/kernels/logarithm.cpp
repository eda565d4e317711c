// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/logarithm.hpp>

#include "function_check.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("log is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "logarithm", [](auto x) { return kernels::logarithm(x); },
      [](double x) { return std::log(x); }, 0.0F, test::largest_float);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= (layout::native.fused_multiply_add ? 1.0 : 2.0));
  CHECK(seen.differing == 0);
}

TEST_CASE("log at the edges") {
  CHECK(kernels::logarithm(1.0F) == 0.0F);
  CHECK(kernels::logarithm(0.0F) == -infinity);
  CHECK(kernels::logarithm(-0.0F) == -infinity);
  CHECK(kernels::logarithm(infinity) == infinity);
  CHECK(std::isnan(kernels::logarithm(-1.0F)));
  CHECK(std::isnan(kernels::logarithm(-infinity)));
  CHECK(std::isnan(kernels::logarithm(not_a_number)));
}

TEST_CASE("log1p is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "logarithm_of_one_plus", [](auto x) { return kernels::logarithm_of_one_plus(x); },
      [](double x) { return std::log1p(x); }, 0.0F, 1.0F);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= (layout::native.fused_multiply_add ? 2.0 : 2.5));
  CHECK(seen.differing == 0);
}
