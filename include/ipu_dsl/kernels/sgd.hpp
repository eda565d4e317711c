// SPDX-License-Identifier: MIT
// Stochastic gradient descent: plain, with momentum, with Nesterov's momentum.
#pragma once

#include <cstddef>

#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

// The element counts are whole vectors (parameters lie in padded panels) and arguments: one
// instance serves every parameter, and a constant bound would not make a long loop shorter. Padding
// has zero gradients, and every rule here takes zero to zero.

/// w = w - rate * gradient
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sgd_update(float* __restrict w, const float* __restrict gradient,
                                  std::ptrdiff_t elements, float rate) noexcept {
  using lanes = vector<Architecture>;
  const lanes negative_rate(-rate);
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    store(w + i, multiply_add(negative_rate, load<lanes>(gradient + i), load<lanes>(w + i)));
  }
}

/// v = momentum * v - rate * gradient, w = w + v: the order of Keras, in which the rate is part of
/// the velocity.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sgd_momentum_update(float* __restrict w, float* __restrict velocity,
                                           const float* __restrict gradient,
                                           std::ptrdiff_t elements, float rate,
                                           float momentum) noexcept {
  using lanes = vector<Architecture>;
  const lanes negative_rate(-rate);
  const lanes kept(momentum);
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    const lanes step =
        multiply_add(negative_rate, load<lanes>(gradient + i), kept * load<lanes>(velocity + i));
    store(velocity + i, step);
    store(w + i, load<lanes>(w + i) + step);
  }
}

/// v = momentum * v - rate * gradient, w = w + momentum * v - rate * gradient.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sgd_nesterov_update(float* __restrict w, float* __restrict velocity,
                                           const float* __restrict gradient,
                                           std::ptrdiff_t elements, float rate,
                                           float momentum) noexcept {
  using lanes = vector<Architecture>;
  const lanes negative_rate(-rate);
  const lanes kept(momentum);
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    const lanes slope = load<lanes>(gradient + i);
    const lanes step = multiply_add(negative_rate, slope, kept * load<lanes>(velocity + i));
    store(velocity + i, step);
    const lanes ahead = multiply_add(negative_rate, slope, load<lanes>(w + i));
    store(w + i, multiply_add(kept, step, ahead));
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
