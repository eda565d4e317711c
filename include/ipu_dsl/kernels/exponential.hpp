// SPDX-License-Identifier: MIT
// exp and expm1 of our own, so that the bits do not depend on a mathematics library.
#pragma once

#include <ipu_dsl/kernels/floating_bits.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// x = n ln 2 + rest with n an integer and |rest| <= ln(2) / 2.
template <typename Vector>
struct exponent_reduction {
  integers<Vector> n;
  Vector rest;
};

template <typename Vector>
IPU_DSL_ALWAYS_INLINE exponent_reduction<Vector> reduce_exponent(Vector x) {
  constexpr float inverse_ln_2 = 0x1.715476p+0F;
  // ln 2 in two parts (Cody and Waite 1980). The high one has 15 bits: its product with n is exact,
  // with and without fused multiply-add.
  constexpr float ln_2_high = 0x1.62e4p-1F;
  constexpr float ln_2_low = 0x1.7f7d1cp-20F;
  const Vector shifted = multiply_add(x, Vector(inverse_ln_2), Vector(integer_shift));
  const Vector n = shifted - Vector(integer_shift);
  const Vector partly = multiply_add(n, Vector(-ln_2_high), x);
  return {shifted_integer(shifted), multiply_add(n, Vector(-ln_2_low), partly)};
}

/// e^r - 1 for a reduced r, relative to r within 2e-10: r + r^2 p(r) with p a minimax fit.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector reduced_exponential_minus_one(Vector rest) {
  constexpr float coefficients[] = {0x1.0p-1F,     0x1.555556p-3F,  0x1.5554aep-5F,
                                    0x1.11109p-7F, 0x1.6d7486p-10F, 0x1.a1a11ap-13F};
  const Vector square = rest * rest;
  return multiply_add(square, polynomial(rest, coefficients), rest);
}

/// e^x for all x, at most 1 ulp off, subnormal results included; infinite above 88.72.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector exponential(Vector x) {
  // Beyond these the result is infinite or rounds to zero. In this order not-a-number passes.
  const Vector clamped = minimum(Vector(89.0F), maximum(Vector(-104.0F), x));
  const exponent_reduction<Vector> reduced = reduce_exponent(clamped);
  const Vector mantissa = Vector(1.0F) + reduced_exponential_minus_one(reduced.rest);
  // 2^n in two factors, because n may lie outside the exponents of a float.
  const integers<Vector> half = reduced.n >> 1;
  const integers<Vector> other_half = reduced.n - half;
  return mantissa * power_of_two<Vector>(half) * power_of_two<Vector>(other_half);
}

/// e^x for x <= 0: the bits of `exponential`, but zero where that is subnormal, with a third of the
/// steps less.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector exponential_below_one(Vector x) {
  // In this order not-a-number passes. 2^-127 is zero: no exponent of a normal number.
  constexpr float logarithm_of_zero = -88.03F;
  const exponent_reduction<Vector> reduced = reduce_exponent(maximum(Vector(logarithm_of_zero), x));
  const Vector mantissa = Vector(1.0F) + reduced_exponential_minus_one(reduced.rest);
  return mantissa * power_of_two<Vector>(reduced.n);
}

/// 2^t for t <= 0, at most 1 ulp off; zero below the exponents of normal numbers. It has a dozen
/// steps, half of those of `exponential`.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector two_to_power(Vector t) {
  // (2^r - 1) / r for |r| <= 1/2, a minimax fit, 2e-9 off.
  constexpr float coefficients[] = {0x1.62e43p-1F,  0x1.ebfbdcp-3F,  0x1.c6aee8p-5F,
                                    0x1.3b2d4cp-7F, 0x1.5f3e54p-10F, 0x1.41fbbcp-13F};
  // In this order not-a-number passes. 2^-127 is zero: no exponent of a normal number.
  const Vector bounded = maximum(Vector(-127.0F), t);
  const Vector shifted = bounded + Vector(integer_shift);
  const Vector rest = bounded - (shifted - Vector(integer_shift));
  const Vector mantissa = multiply_add(rest, polynomial(rest, coefficients), Vector(1.0F));
  return mantissa * power_of_two<Vector>(shifted_integer(shifted));
}

/// e^x - 1 for x up to 88 (larger ones give e^88 - 1), without cancellation near zero; at most
/// 2 ulp off.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector exponential_minus_one(Vector x) {
  const Vector clamped = minimum(Vector(88.0F), maximum(Vector(-25.0F), x));
  const exponent_reduction<Vector> reduced = reduce_exponent(clamped);
  const Vector scale = power_of_two<Vector>(reduced.n);
  const Vector tail = reduced_exponential_minus_one(reduced.rest);
  return multiply_add(scale, tail, scale - Vector(1.0F));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
