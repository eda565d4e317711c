// SPDX-License-Identifier: MIT
// The binary32 format taken apart, for floats and vectors of them alike.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The integers that have the place of `Vector`'s floats.
template <typename Vector>
using integers = decltype(integers_beside(std::declval<Vector>()));

/// 1.5 * 2^23: added to a float of magnitude below 2^22 it rounds it to the nearest integer, which
/// then stands in the low bits of the sum.
inline constexpr float integer_shift = 0x1.8p23F;
inline constexpr std::int32_t integer_shift_bits = 0x4B400000;

inline constexpr std::int32_t exponent_position = 23;
inline constexpr std::int32_t exponent_bias = 127;

/// 2^n for n from -126 to 127.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector power_of_two(integers<Vector> n) {
  const integers<Vector> biased = n + integers<Vector>(exponent_bias);
  const integers<Vector> bits = biased << exponent_position;
  return std::bit_cast<Vector>(bits);
}

/// The integer that was rounded by adding `integer_shift`.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE integers<Vector> shifted_integer(Vector shifted) {
  return std::bit_cast<integers<Vector>>(shifted) - integers<Vector>(integer_shift_bits);
}

/// An integer of magnitude below 2^22 as a float.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector float_of(integers<Vector> n) {
  const integers<Vector> bits = n + integers<Vector>(integer_shift_bits);
  return std::bit_cast<Vector>(bits) - Vector(integer_shift);
}

/// The value of the polynomial with these coefficients, lowest degree first, by Horner's rule.
template <typename Vector, std::size_t Count>
IPU_DSL_ALWAYS_INLINE Vector polynomial(Vector x, const float (&coefficients)[Count]) {
  constexpr int degree = static_cast<int>(Count) - 1;
  Vector value(coefficients[degree]);
  IPU_DSL_UNROLLED
  for (int i = 0; i < degree; ++i) {
    value = multiply_add(value, x, Vector(coefficients[degree - 1 - i]));
  }
  return value;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
