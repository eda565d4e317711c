// SPDX-License-Identifier: MIT
// log and log1p of our own, so that the bits do not depend on a mathematics library.
#pragma once

#include <limits>

#include <ipu_dsl/kernels/floating_bits.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What the logarithm of something that is no positive finite number is.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector logarithm_at_edges(Vector x, Vector of_positive) {
  using limits = std::numeric_limits<float>;
  const Vector infinity(limits::infinity());
  const Vector zero(0.0F);
  const Vector positive = choose(x < infinity, of_positive, x);
  const Vector other = choose(x == zero, zero - infinity, Vector(limits::quiet_NaN()));
  return choose(x > zero, positive, other);
}

/// ln x, at most 1 ulp off; minus infinity at zero, not a number below. x = m 2^k with m around 1;
/// ln m = f + f^2 q(f) for f = m - 1, q a minimax fit relative to f, error 4e-9.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector logarithm(Vector x) {
  constexpr float coefficients[] = {-0x1.fffff8p-2F, 0x1.555544p-2F,  -0x1.0004p-2F,
                                    0x1.99a978p-3F,  -0x1.5431ecp-3F, 0x1.220ff8p-3F,
                                    -0x1.0e85f2p-3F, 0x1.0a60e6p-3F,  -0x1.408154p-4F};
  constexpr float ln_2 = 0x1.62e43p-1F;
  constexpr std::int32_t sqrt_half_bits = 0x3F3504F3;
  const Vector zero(0.0F);
  const Vector one(1.0F);
  const Vector smallest_normal((std::numeric_limits<float>::min)());
  // One in place of what has no logarithm keeps the integer arithmetic in range.
  const Vector positive = choose(x > zero, x, one);
  const Vector normal = choose(positive < smallest_normal, positive * Vector(0x1.0p23F), positive);
  const Vector correction = choose(positive < smallest_normal, Vector(-23.0F), zero);
  const integers<Vector> bits = std::bit_cast<integers<Vector>>(normal);
  const integers<Vector> k = (bits - integers<Vector>(sqrt_half_bits)) >> exponent_position;
  const integers<Vector> mantissa_bits = bits - (k << exponent_position);
  const Vector f = std::bit_cast<Vector>(mantissa_bits) - one;
  const Vector square = f * f;
  const Vector of_mantissa = multiply_add(square, polynomial(f, coefficients), f);
  const Vector exponent = float_of<Vector>(k) + correction;
  return logarithm_at_edges(x, multiply_add(exponent, Vector(ln_2), of_mantissa));
}

/// ln(1 + u) for u in [0, 1], at most 2 ulp off: 2 artanh(s) with s = u / (2 + u), as
/// 2 s + s^3 r(s^2), r a minimax fit, error 2e-10.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector logarithm_of_one_plus(Vector u) {
  constexpr float coefficients[] = {0x1.555558p-1F, 0x1.9996a8p-2F, 0x1.250972p-2F, 0x1.b6d694p-3F,
                                    0x1.f1af18p-3F};
  const Vector s = divide(u, Vector(2.0F) + u);
  const Vector square = s * s;
  const Vector cube = square * s;
  return multiply_add(cube, polynomial(square, coefficients), s + s);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
