// SPDX-License-Identifier: MIT
// Stochastic gradient descent: plain, with momentum, with Nesterov's momentum.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The numbers of an update. Plain descent reads the rate alone.
struct update_numbers {
  float rate = 0;
  float momentum = 0;
};

/// Updates one vector (or one float) of a parameter from its complete gradient. The order is
/// Keras's: the rate is part of the velocity. Every rule takes padding, which is zero, to zero.
template <update_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE void update_parameter(float* w, float* velocity, const Vector& gradient,
                                            const update_numbers& numbers) {
  const Vector negative_rate(-numbers.rate);
  if constexpr (Kind == update_kind::descent) {
    store(w, multiply_add(negative_rate, gradient, load<Vector>(w)));
  } else {
    const Vector kept(numbers.momentum);
    const Vector step = multiply_add(negative_rate, gradient, kept * load<Vector>(velocity));
    store(velocity, step);
    if constexpr (Kind == update_kind::momentum) {
      store(w, load<Vector>(w) + step);
    } else {
      const Vector ahead = multiply_add(negative_rate, gradient, load<Vector>(w));
      store(w, multiply_add(kept, step, ahead));
    }
  }
}

/// Updates `elements` elements of a parameter, whole vectors of them. The count is an argument: one
/// instance serves every parameter, and a constant would not make a long loop shorter.
/// `velocity` may be null for a kind that keeps none.
template <update_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sgd_update(float* __restrict w, float* __restrict velocity,
                                  const float* __restrict gradient, std::ptrdiff_t elements,
                                  const update_numbers& numbers) noexcept {
  using lanes = vector<Architecture>;
  const update_numbers local = numbers;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    float* const kept = slots_of(Kind) > 0 ? velocity + i : nullptr;
    prefetch_for_writing<Architecture.lanes>(w + i, shared_floats_ahead);
    update_parameter<Kind>(w + i, kept, load<lanes>(gradient + i), local);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
