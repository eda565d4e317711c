// SPDX-License-Identifier: MIT
// Tests of core/elementary.hpp against long double functions of the mathematics library.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/random.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr int samples = 20'000;

/// In [low, high), a function of the index.
double drawn(int index, double low, double high) {
  const auto counter = static_cast<std::uint64_t>(index);
  const auto unit = static_cast<double>(random_word(7, 0, 2 * counter)) * 0x1p-32 +
                    static_cast<double>(random_word(7, 0, 2 * counter + 1)) * 0x1p-64;
  return low + unit * (high - low);
}

double relative_error(double got, long double exact) {
  return static_cast<double>(std::fabs((static_cast<long double>(got) - exact) / exact));
}

// Evaluated by the compiler, to be compared with what the processor makes.
constexpr double exponential_of_third = elementary::exponential(1.0 / 3);
constexpr double logarithm_of_third = elementary::logarithm(1.0 / 3);
constexpr double cosine_of_third = elementary::cosine_of_half_turns(1.0 / 3);
constexpr double power_of_third = elementary::power(1.0 / 3, 2.5);

static_assert(elementary::floor_of(2.5) == 2 && elementary::floor_of(-2.5) == -3);
static_assert(elementary::floor_of(-2.0) == -2);
static_assert(elementary::power(0.9, std::uint64_t{0}) == 1);
static_assert(elementary::power(0.9, 1.0) == 0.9);
static_assert(elementary::power(0.0, 0.5) == 0 && elementary::power(0.0, 2.0) == 0);
static_assert(elementary::power(0.0, 0.0) == 1);
static_assert(elementary::exponential(0) == 1 && elementary::logarithm(1) == 0);
static_assert(elementary::exponential(-1000) == 0);
static_assert(elementary::exponential(1000) == std::numeric_limits<double>::infinity());
static_assert(elementary::cosine_of_half_turns(0) == 1);
static_assert(elementary::cosine_of_half_turns(0.5) == 0);
static_assert(elementary::cosine_of_half_turns(1) == -1);

}  // namespace

TEST_CASE("exponential, logarithm, power and cosine are within what they state") {
  double worst[4] = {};
  for (int i = 0; i < samples; ++i) {
    const double x = drawn(i, -700, 700);
    worst[0] = std::fmax(worst[0], relative_error(elementary::exponential(x),
                                                  std::exp(static_cast<long double>(x))));
    const double wide = elementary::exponential(x);
    const double near_one = 1 + drawn(i, -0.5, 0.5);
    worst[1] = std::fmax(worst[1], relative_error(elementary::logarithm(wide),
                                                  std::log(static_cast<long double>(wide))));
    worst[1] = std::fmax(worst[1], relative_error(elementary::logarithm(near_one),
                                                  std::log(static_cast<long double>(near_one))));
    const double exponent = drawn(samples + i, -300, 300);
    const long double exact =
        std::pow(static_cast<long double>(near_one), static_cast<long double>(exponent));
    const double reach = 1 + std::fabs(exponent * std::log(near_one));
    worst[2] =
        std::fmax(worst[2], relative_error(elementary::power(near_one, exponent), exact) / reach);
    const double turns = drawn(i, 0, 1);
    const long double angle =
        3.14159265358979323846264338327950288L * static_cast<long double>(turns);
    worst[3] = std::fmax(
        worst[3],
        static_cast<double>(std::fabs(
            static_cast<long double>(elementary::cosine_of_half_turns(turns)) - std::cos(angle))));
  }
  CHECK(worst[0] <= 0x1p-50);
  CHECK(worst[1] <= 0x1p-50);
  CHECK(worst[2] <= 0x1p-50);
  CHECK(worst[3] <= 0x1p-51);
  std::printf("elementary: %d samples; errors exp %.2g, log %.2g, pow %.2g, cos %.2g\n", samples,
              worst[0], worst[1], worst[2], worst[3]);
}

TEST_CASE("the compiler and the processor make the same bits of elementary functions") {
  // Volatile, so that the processor must.
  volatile double third = 1.0 / 3;
  volatile double exponent = 2.5;
  CHECK(elementary::exponential(third) == exponential_of_third);
  CHECK(elementary::logarithm(third) == logarithm_of_third);
  CHECK(elementary::cosine_of_half_turns(third) == cosine_of_third);
  CHECK(elementary::power(third, exponent) == power_of_third);
}

TEST_CASE("whole powers are products") {
  int compared = 0;
  for (std::uint64_t n = 0; n < 2'000; ++n) {
    const long double exact = std::pow(0.999L, static_cast<long double>(n));
    // 0.999 is rounded by 2^-54 of itself, every product by 2^-53.
    const double bound = 3 * static_cast<double>(n + 1) * 0x1p-53;
    compared += relative_error(elementary::power(0.999, n), exact) <= bound ? 1 : 0;
  }
  CHECK(compared == 2'000);
}
