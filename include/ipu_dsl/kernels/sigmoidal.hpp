// SPDX-License-Identifier: MIT
// The saturating functions of neural networks, built on our own exp and log.
#pragma once

#include <ipu_dsl/kernels/exponential.hpp>
#include <ipu_dsl/kernels/logarithm.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// 1 / (1 + e^-x), at most 3 ulp off where the result is a normal number.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector logistic(Vector x) {
  return divide(Vector(1.0F), Vector(1.0F) + exponential(Vector(0.0F) - x));
}

/// tanh x = e / (e + 2) with e = e^2|x| - 1, at most 3 ulp off; beyond 10 it rounds to one.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector hyperbolic_tangent(Vector x) {
  const Vector size = minimum(Vector(10.0F), magnitude(x));
  const Vector e = exponential_minus_one(size + size);
  const Vector value = divide(e, e + Vector(2.0F));
  return choose(x < Vector(0.0F), Vector(0.0F) - value, value);
}

/// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|), at most 3 ulp off where the result is normal.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector soft_plus(Vector x) {
  const Vector zero(0.0F);
  return maximum(zero, x) + logarithm_of_one_plus(exponential(zero - magnitude(x)));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
