// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/sigmoidal.hpp>

#include "function_check.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr double documented = layout::native.fused_multiply_add ? 3.0 : 4.5;

}  // namespace

TEST_CASE("sigmoid is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "logistic", [](auto x) { return kernels::logistic(x); },
      [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, -test::largest_float,
      test::largest_float, test::smallest_normal);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= documented);
  CHECK(seen.differing == 0);
}

TEST_CASE("tanh is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "hyperbolic_tangent", [](auto x) { return kernels::hyperbolic_tangent(x); },
      [](double x) { return std::tanh(x); }, -test::largest_float, test::largest_float,
      test::smallest_normal);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= documented);
  CHECK(seen.differing == 0);
}

TEST_CASE("softplus is within its documented error, the same in vectors and scalars") {
  const test::function_error seen = test::measure(
      "soft_plus", [](auto x) { return kernels::soft_plus(x); },
      [](double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); },
      -test::largest_float, test::largest_float, test::smallest_normal);
  CHECK(seen.checked > 0);
  CHECK(seen.worst <= documented);
  CHECK(seen.differing == 0);
}

TEST_CASE("the saturating functions at the edges") {
  CHECK(kernels::logistic(infinity) == 1.0F);
  CHECK(kernels::logistic(-infinity) == 0.0F);
  CHECK(kernels::logistic(0.0F) == 0.5F);
  CHECK(kernels::hyperbolic_tangent(infinity) == 1.0F);
  CHECK(kernels::hyperbolic_tangent(-infinity) == -1.0F);
  CHECK(kernels::hyperbolic_tangent(0.0F) == 0.0F);
  CHECK(kernels::soft_plus(infinity) == infinity);
  CHECK(kernels::soft_plus(-infinity) == 0.0F);
  CHECK(std::isnan(kernels::logistic(not_a_number)));
  CHECK(std::isnan(kernels::hyperbolic_tangent(not_a_number)));
  CHECK(std::isnan(kernels::soft_plus(not_a_number)));
}
