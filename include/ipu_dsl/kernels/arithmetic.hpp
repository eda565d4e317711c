// SPDX-License-Identifier: MIT
// What the rules of optimizers, losses and metrics compute with.
#pragma once

#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What a rule computes with, beside + and *: see `no_update`.
struct arithmetic {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector multiply_add(const Vector& a, const Vector& b,
                                                   const Vector& c) {
    return kernels::multiply_add(a, b, c);
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector divide(const Vector& a, const Vector& b) {
    return kernels::divide(a, b);
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector square_root(const Vector& a) {
    return kernels::square_root(a);
  }

  template <typename Condition, typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector choose(const Condition& condition, const Vector& a,
                                             const Vector& b) {
    return kernels::choose(condition, a, b);
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector maximum(const Vector& a, const Vector& b) {
    return kernels::maximum(a, b);
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector minimum(const Vector& a, const Vector& b) {
    return kernels::minimum(a, b);
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector magnitude(const Vector& a) {
    return kernels::magnitude(a);
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector sign(const Vector& a) {
    return kernels::sign_of(a);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
