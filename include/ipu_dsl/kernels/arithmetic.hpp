// SPDX-License-Identifier: MIT
// What the rules of optimizers, losses and metrics compute with.
#pragma once

#include <ipu_dsl/kernels/sigmoidal.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What a rule computes with, beside + and *: see `no_update`. A rule never adds to a product by
/// itself, as kernels do not: see `multiply_add`.
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

  /// 1, -1, or 0 of zero.
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector sign(const Vector& x) {
    return kernels::sign_of(x);
  }

  /// |x|.
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector magnitude(const Vector& x) {
    return kernels::magnitude(x);
  }

  /// e^x.
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector exponential(const Vector& x) {
    return kernels::exponential(x);
  }

  /// ln x; minus infinity at zero.
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector logarithm(const Vector& x) {
    return kernels::logarithm(x);
  }

  /// ln(1 + x) for x in [0, 1].
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector logarithm_of_one_plus(const Vector& x) {
    return kernels::logarithm_of_one_plus(x);
  }

  /// 1 / (1 + e^-x).
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector logistic(const Vector& x) {
    return kernels::logistic(x);
  }

  /// tanh x.
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector hyperbolic_tangent(const Vector& x) {
    return kernels::hyperbolic_tangent(x);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
