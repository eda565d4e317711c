// SPDX-License-Identifier: MIT
// erf of our own, so that the bits do not depend on a mathematics library.
#pragma once

#include <ipu_dsl/kernels/exponential.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// erf x, at most 2 ulp off. Below 1: x + x s(x^2); above: 1 - e^t(x). Both minimax fits, errors
/// 1e-9 and 2e-11; beyond 3.95 the result rounds to one.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector error_function(Vector x) {
  constexpr float near_zero[] = {0x1.06eba8p-3F, -0x1.81273ep-2F,  0x1.ce2d2p-4F,  -0x1.b7fbb4p-6F,
                                 0x1.5419f2p-8F, -0x1.a485dap-11F, 0x1.4ae4a4p-14F};
  constexpr float tail[] = {0x1.8a51c6p-13F, -0x1.212c0cp+0F, -0x1.44356ap-1F, -0x1.bc14fcp-4F,
                            0x1.9d02c2p-6F,  -0x1.138c5ap-8F, 0x1.cec4c4p-12F, -0x1.6bd638p-16F};
  const Vector one(1.0F);
  const Vector size = minimum(Vector(3.95F), magnitude(x));
  const Vector square = size * size;
  const Vector inner = multiply_add(size, polynomial(square, near_zero), size);
  const Vector outer = one - exponential(polynomial(size, tail));
  const Vector value = choose(size < one, inner, outer);
  return choose(x < Vector(0.0F), Vector(0.0F) - value, value);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
