// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include <ipu_dsl/kernels/normal_distribution.hpp>

#include "function_check.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

double distribution(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2.0 * 3.14159265358979323846);
}

/// How far a function is off at most, absolutely and of itself, over `count` floats from `low` on.
struct distance {
  double absolute = 0.0;
  double relative = 0.0;
  int checked = 0;
};

template <typename Kernel, typename Exact>
distance distance_over(const Kernel& kernel, const Exact& exact, float low, float high) {
  constexpr int count = 1'000'000;
  distance seen;
  for (int i = 0; i <= count; ++i) {
    const float x = low + (high - low) * (static_cast<float>(i) / static_cast<float>(count));
    const double want = exact(static_cast<double>(x));
    const double off = std::fabs(static_cast<double>(kernel(x)) - want);
    seen.absolute = std::fmax(seen.absolute, off);
    seen.relative = std::fmax(seen.relative, off / want);
    ++seen.checked;
  }
  std::printf("checked %d floats, at most %.3g off, %.3g of the value\n", seen.checked,
              seen.absolute, seen.relative);
  return seen;
}

}  // namespace

TEST_CASE("the normal distribution is within its documented error") {
  const auto kernel = [](float x) { return kernels::normal_distribution(x); };
  const double of_chains = layout::native.fused_multiply_add ? 1.0 : 2.0;
  const distance everywhere = distance_over(kernel, distribution, -16.0F, 16.0F);
  CHECK(everywhere.checked == 1'000'001);
  CHECK(everywhere.absolute <= of_chains * 1e-7);
  CHECK(distance_over(kernel, distribution, -5.0F, 16.0F).relative <= of_chains * 1e-3);
}

TEST_CASE("the normal density is within its documented error") {
  const auto kernel = [](float x) { return kernels::normal_density(x); };
  const double of_chains = layout::native.fused_multiply_add ? 1.0 : 2.0;
  CHECK(distance_over(kernel, density, -16.0F, 16.0F).absolute <= of_chains * 1e-7);
}

TEST_CASE("the normal distribution and its density have the same bits in vectors and scalars") {
  const test::function_error shares = test::measure(
      "normal_distribution", [](auto x) { return kernels::normal_distribution(x); }, distribution,
      -test::largest_float, test::largest_float, 1.0);
  CHECK(shares.checked > 0);
  CHECK(shares.differing == 0);
  const test::function_error densities = test::measure(
      "normal_density", [](auto x) { return kernels::normal_density(x); }, density,
      -test::largest_float, test::largest_float, 1.0);
  CHECK(densities.checked > 0);
  CHECK(densities.differing == 0);
}

TEST_CASE("the normal distribution at the edges") {
  CHECK(kernels::normal_distribution(0.0F) == 0.5F);
  CHECK(kernels::normal_distribution(6.0F) == 1.0F);
  CHECK(kernels::normal_distribution(infinity) == 1.0F);
  CHECK(kernels::normal_distribution(-20.0F) == 0.0F);
  CHECK(kernels::normal_distribution(-test::largest_float) == 0.0F);
  CHECK(kernels::normal_distribution(-infinity) == 0.0F);
  CHECK(std::isnan(kernels::normal_distribution(not_a_number)));
  CHECK(kernels::normal_density(infinity) == 0.0F);
  CHECK(kernels::normal_density(-test::largest_float) == 0.0F);
  CHECK(std::isnan(kernels::normal_density(not_a_number)));
}
