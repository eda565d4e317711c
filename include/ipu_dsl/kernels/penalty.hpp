// SPDX-License-Identifier: MIT
// Penalties on weights: their gradients, and the sums that they are made of.
#pragma once

#include <cstddef>

#include <ipu_dsl/kernels/parameter_sums.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// gradient += slope of |w| sign(w) + slope of w^2 w, of `elements` elements, whole vectors of
/// them.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void add_penalty_gradient(float* __restrict gradient, const float* __restrict w,
                                            std::ptrdiff_t elements, float of_magnitude,
                                            float of_square) noexcept {
  using lanes = vector<Architecture>;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    const lanes weight = load<lanes>(w + i);
    const lanes squared = multiply_add(lanes(of_square), weight, load<lanes>(gradient + i));
    store(gradient + i, multiply_add(lanes(of_magnitude), sign_of(weight), squared));
  }
}

/// Sums up |w| and w^2 over a parameter, as the sums of an update are.
struct penalty_sums {
  static constexpr int kept = 0;
  static constexpr whole_sums sums{{2}};

  struct numbers {};

  template <int Stage, typename Math, typename Vector>
  IPU_DSL_ALWAYS_INLINE static void add(Vector* to, const Vector& w, const Vector*, const Vector&,
                                        const numbers&) {
    to[0] = to[0] + Math::magnitude(w);
    to[1] = Math::multiply_add(w, w, to[1]);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
