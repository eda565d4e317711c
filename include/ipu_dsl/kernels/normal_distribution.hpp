// SPDX-License-Identifier: MIT
// The distribution and the density of the normal distribution, of our own, so that the bits do not
// depend on a mathematics library.
#pragma once

#include <ipu_dsl/kernels/exponential.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The share of a normal distribution below x, (1 + erf(x / sqrt 2)) / 2: at most 1e-7 off, above
/// -5 also at most a thousandth of itself. It is 2^t(|x|) below zero and one less that above: t is
/// a minimax fit up to 5.75 of the tail's binary logarithm, errors 1.3e-8 of the result and 2 % of
/// it where that is less; beyond, its highest power takes it to nothing.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector normal_distribution(Vector x) {
  constexpr float logarithm_of_tail[] = {-0x1.fffffep-1F,  -0x1.26aefp+0F,  -0x1.d636d2p-2F,
                                         -0x1.ae780cp-5F,  0x1.d48deap-8F,  -0x1.bf0544p-13F,
                                         -0x1.3aa11ep-13F, 0x1.01d5bcp-15F, -0x1.0f6ad8p-19F};
  const Vector tail = two_to_power(polynomial(magnitude(x), logarithm_of_tail));
  return choose(x < Vector(0.0F), tail, Vector(1.0F) - tail);
}

/// Its density: e^(-x^2 / 2) / sqrt(2 pi), at most 1e-7 off.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector normal_density(Vector x) {
  constexpr float half_of_log2_e = 0x1.715476p-1F;
  constexpr float log2_of_highest = -0x1.53643ap+0F;
  return two_to_power(multiply_add(x * x, Vector(-half_of_log2_e), Vector(log2_of_highest)));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
