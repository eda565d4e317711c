// SPDX-License-Identifier: MIT
// Functions of doubles of our own, for numbers that the host makes: the bits do not depend on a
// mathematics library, nor on whether it is the compiler that evaluates them. For kernels there are
// functions of vectors in kernels/.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl::elementary {

/// a * b, rounded: what stands in a sum is written so. Some compilers make one operation of a
/// product and a sum where the processor has it, and then the bits are others.
constexpr double product(double a, double b) {
  double rounded = a * b;
  if (!std::is_constant_evaluated()) {
    // Hides from the optimiser where the value comes from.
    asm("" : "+m"(rounded));
  }
  return rounded;
}

/// Rounded once, as every processor does it.
inline double square_root(double x) {
  return __builtin_sqrt(x);
}

/// The largest whole number that is not above x, for |x| below 2^62.
constexpr double floor_of(double x) {
  const auto towards_zero = static_cast<double>(static_cast<std::int64_t>(x));
  return towards_zero > x ? towards_zero - 1 : towards_zero;
}

/// The value of the polynomial with these coefficients, highest degree first.
template <std::size_t Count>
constexpr double polynomial(double x, const double (&coefficients)[Count]) {
  double value = 0;
  for (const double coefficient : coefficients) {
    value = product(value, x) + coefficient;
  }
  return value;
}

/// 2^n for n from -1022 to 1023.
constexpr double power_of_two(std::int64_t n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// e^x within 2^-50 of itself; results below the smallest normal number are zero, and above the
/// largest one infinite.
constexpr double exponential(double x) {
  constexpr double inverse_ln_2 = 0x1.71547652b82fep+0;
  // ln 2 in two parts; the product of the high one with n is exact.
  constexpr double ln_2_high = 0x1.62e42fee00000p-1;
  constexpr double ln_2_low = 0x1.a39ef35793c76p-33;
  // 1 / k! for k from 13 down to 0: |rest| is at most 0.3466, and its fourteenth power / 14! 4e-18.
  constexpr double coefficients[] = {1.0 / 6227020800.0,
                                     1.0 / 479001600.0,
                                     1.0 / 39916800.0,
                                     1.0 / 3628800.0,
                                     1.0 / 362880.0,
                                     1.0 / 40320.0,
                                     1.0 / 5040.0,
                                     1.0 / 720.0,
                                     1.0 / 120.0,
                                     1.0 / 24.0,
                                     1.0 / 6.0,
                                     0.5,
                                     1.0,
                                     1.0};
  if (!(x > -708.0)) {
    return x != x ? x : 0.0;
  }
  if (x > 709.78) {
    return std::numeric_limits<double>::infinity();
  }
  const double n = floor_of(product(x, inverse_ln_2) + 0.5);
  const double rest = (x - product(n, ln_2_high)) - product(n, ln_2_low);
  // In two factors, because 2^1024 is none.
  const double half_scale = power_of_two(static_cast<std::int64_t>(n) - 1);
  return polynomial(rest, coefficients) * half_scale * 2;
}

/// ln x for a positive finite x that is not subnormal, within 2^-50 of itself, near 1 as well:
/// x = m 2^k with m around 1, and ln m = 2 artanh(s) with s = (m - 1) / (m + 1).
constexpr double logarithm(double x) {
  constexpr double ln_2_high = 0x1.62e42fee00000p-1;
  constexpr double ln_2_low = 0x1.a39ef35793c76p-33;
  constexpr double sqrt_2 = 0x1.6a09e667f3bcdp+0;
  // 2 / (2 k + 1) for k from 10 down to 1: s^2 is at most 0.0295.
  constexpr double coefficients[] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                                     2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
  auto k = static_cast<std::int64_t>(bits >> 52) - 1023;
  auto mantissa = std::bit_cast<double>((bits & fraction) | (std::uint64_t{1023} << 52));
  if (mantissa > sqrt_2) {
    mantissa = mantissa / 2;
    ++k;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = product(s, s);
  const double tail = product(product(s, square), polynomial(square, coefficients));
  const auto exponent = static_cast<double>(k);
  return product(exponent, ln_2_high) + (2 * s + (tail + product(exponent, ln_2_low)));
}

/// base^exponent, by squaring.
constexpr double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2) {
    result = product(result, exponent % 2 == 1 ? base : 1);
    base = product(base, base);
  }
  return result;
}

/// base^exponent for a base of at least 0; relative to itself within
/// 2^-50 (1 + |exponent ln base|), and exact for an exponent of 1.
constexpr double power(double base, double exponent) {
  constexpr double most_squared = 0x1p32;
  if (exponent >= 0 && exponent < most_squared && exponent == floor_of(exponent)) {
    return power(base, static_cast<std::uint64_t>(exponent));
  }
  if (base < (std::numeric_limits<double>::min)()) {
    return exponent > 0 ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return exponential(product(exponent, logarithm(base)));
}

/// cos(pi x) for x in [0, 1], within 2^-51; 1, 0 and -1 exactly where it is.
constexpr double cosine_of_half_turns(double x) {
  constexpr double pi = 0x1.921fb54442d18p+1;
  // (-1)^k / (2 k)! and (-1)^k / (2 k + 1)!: the argument is at most pi / 4.
  constexpr double cosine[] = {-1.0 / 6402373705728000.0,
                               1.0 / 20922789888000.0,
                               -1.0 / 87178291200.0,
                               1.0 / 479001600.0,
                               -1.0 / 3628800.0,
                               1.0 / 40320.0,
                               -1.0 / 720.0,
                               1.0 / 24.0,
                               -0.5,
                               1.0};
  constexpr double sine[] = {1.0 / 355687428096000.0,
                             -1.0 / 1307674368000.0,
                             1.0 / 6227020800.0,
                             -1.0 / 39916800.0,
                             1.0 / 362880.0,
                             -1.0 / 5040.0,
                             1.0 / 120.0,
                             -1.0 / 6.0,
                             1.0};
  // Which of the two is taken where keeps the argument small; the differences are exact.
  if (x < 0.25) {
    const double angle = product(pi, x);
    return polynomial(product(angle, angle), cosine);
  }
  if (x > 0.75) {
    const double angle = product(pi, 1 - x);
    return -polynomial(product(angle, angle), cosine);
  }
  const double angle = product(pi, 0.5 - x);
  return product(angle, polynomial(product(angle, angle), sine));
}

}  // namespace ipu_dsl::elementary
