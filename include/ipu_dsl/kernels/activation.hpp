// SPDX-License-Identifier: MIT
// Activation functions and their derivatives, over rows padded to whole vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/normal_distribution.hpp>
#include <ipu_dsl/kernels/paired_vectors.hpp>
#include <ipu_dsl/kernels/sigmoidal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Slope of selu above zero, and that times its alpha: what it tends to below, with the other sign.
inline constexpr float selu_scale = 0x1.0cfabep+0F;
inline constexpr float selu_floor = 0x1.c212ccp+0F;

/// tanh(softplus x) = n / (n + 2) with n = e (e + 2) and e = e^x: nothing cancels. Beyond 20 it
/// rounds to one.
template <typename Vector>
struct mish_parts {
  Vector e;
  Vector below;  ///< n + 2
  Vector share;

  IPU_DSL_ALWAYS_INLINE explicit mish_parts(Vector x)
      : e(exponential(minimum(Vector(20.0F), x))),
        below(multiply_add(e, e + Vector(2.0F), Vector(2.0F))),
        share(divide(e * (e + Vector(2.0F)), below)) {}
};

/// An elementwise activation of one value (all but softmax and its logarithm), as Keras 2.4 defines
/// it. `alpha` is the slope of leaky_relu below zero, and the scale of elu.
template <activation_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector activate(Vector x, float alpha) {
  static_assert(!normalizes(Kind), "softmax is not elementwise");
  const Vector zero(0.0F);
  if constexpr (Kind == activation_kind::linear) {
    return x;
  } else if constexpr (Kind == activation_kind::relu) {
    return maximum(zero, x);
  } else if constexpr (Kind == activation_kind::relu6) {
    return minimum(Vector(6.0F), maximum(zero, x));
  } else if constexpr (Kind == activation_kind::leaky_relu) {
    return choose(x > zero, x, Vector(alpha) * x);
  } else if constexpr (Kind == activation_kind::elu) {
    return choose(x > zero, x, Vector(alpha) * exponential_minus_one(minimum(zero, x)));
  } else if constexpr (Kind == activation_kind::gelu) {
    return x * normal_distribution(x);
  } else if constexpr (Kind == activation_kind::swish) {
    return x * logistic(x);
  } else if constexpr (Kind == activation_kind::sigmoid) {
    return logistic(x);
  } else if constexpr (Kind == activation_kind::tanh) {
    return hyperbolic_tangent(x);
  } else if constexpr (Kind == activation_kind::selu) {
    return choose(x > zero, Vector(selu_scale) * x,
                  Vector(selu_floor) * exponential_minus_one(minimum(zero, x)));
  } else if constexpr (Kind == activation_kind::hard_sigmoid) {
    const Vector line = multiply_add(Vector(0.2F), x, Vector(0.5F));
    return minimum(Vector(1.0F), maximum(zero, line));
  } else if constexpr (Kind == activation_kind::softsign) {
    return divide(x, Vector(1.0F) + magnitude(x));
  } else if constexpr (Kind == activation_kind::exponential) {
    return exponential(x);
  } else if constexpr (Kind == activation_kind::mish) {
    return x * mish_parts<Vector>(x).share;
  } else {
    return soft_plus(x);
  }
}

/// The derivative at the point whose activation is `y`; see `gradient_from_output`.
template <activation_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector derivative_from_output(Vector y, float alpha) {
  static_assert(gradient_from_output(Kind), "the derivative needs the activation's input");
  const Vector zero(0.0F);
  const Vector one(1.0F);
  if constexpr (Kind == activation_kind::linear) {
    return one;
  } else if constexpr (Kind == activation_kind::relu) {
    return choose(y > zero, one, zero);
  } else if constexpr (Kind == activation_kind::relu6) {
    return choose(y > zero, choose(y < Vector(6.0F), one, zero), zero);
  } else if constexpr (Kind == activation_kind::leaky_relu) {
    return choose(y > zero, one, Vector(alpha));
  } else if constexpr (Kind == activation_kind::elu) {
    return choose(y > zero, one, y + Vector(alpha));
  } else if constexpr (Kind == activation_kind::sigmoid) {
    return y * (one - y);
  } else if constexpr (Kind == activation_kind::tanh) {
    return multiply_add(zero - y, y, one);
  } else if constexpr (Kind == activation_kind::selu) {
    return choose(y > zero, Vector(selu_scale), y + Vector(selu_floor));
  } else if constexpr (Kind == activation_kind::hard_sigmoid) {
    return choose(y > zero, choose(y < one, Vector(0.2F), zero), zero);
  } else if constexpr (Kind == activation_kind::softsign) {
    const Vector rest = one - magnitude(y);
    return rest * rest;
  } else if constexpr (Kind == activation_kind::exponential) {
    return y;
  } else {
    // softplus: the derivative is sigmoid(x), and e^-y = 1 - sigmoid(x).
    return zero - exponential_minus_one(zero - y);
  }
}

/// The derivative at `x`.
template <activation_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector derivative_from_input(Vector x, float alpha) {
  const Vector one(1.0F);
  if constexpr (Kind == activation_kind::gelu) {
    return multiply_add(x, normal_density(x), normal_distribution(x));
  } else if constexpr (Kind == activation_kind::swish) {
    const Vector s = logistic(x);
    return s * multiply_add(x, one - s, one);
  } else if constexpr (Kind == activation_kind::mish) {
    // tanh(softplus x) grows by 4 e (e + 1) / (n + 2)^2, which beyond 20 is nothing.
    const mish_parts<Vector> at(x);
    const Vector growth = divide(Vector(4.0F) * at.e * (at.e + one), at.below);
    const Vector bounded = minimum(Vector(20.0F), x);
    return multiply_add(bounded, divide(growth, at.below), at.share);
  } else if constexpr (Kind == activation_kind::softplus) {
    return logistic(x);
  } else {
    return derivative_from_output<Kind>(activate<Kind>(x, alpha), alpha);
  }
}

/// The elements of a row that hold no unit: zero, whatever the activation makes of zero.
IPU_DSL_ALWAYS_INLINE void clear_padding(float* row, std::int32_t units, std::int32_t stride) {
  for (std::int32_t n = units; n < stride; ++n) {
    row[n] = 0.0F;
  }
}

/// Rows of zeros: the gradient of samples that only fill up a batch.
IPU_DSL_ALWAYS_INLINE void clear_rows(float* rows, std::int32_t first, std::int32_t count,
                                      std::int32_t stride) {
  for (std::ptrdiff_t i = std::ptrdiff_t{first} * stride; i < std::ptrdiff_t{count} * stride; ++i) {
    rows[i] = 0.0F;
  }
}

/// Whether an activation is a long chain of steps, of which four vectors are computed in turn.
constexpr bool computes_in_turn(activation_kind kind) {
  return kind == activation_kind::gelu || kind == activation_kind::swish ||
         kind == activation_kind::sigmoid || kind == activation_kind::tanh;
}

/// Calls `body.template operator()<Vectors>(element index)` for all vectors of `rows` rows, one by
/// one or, `InTurn`, four at once as long as there are so many in a row; then clears the padding of
/// each row of `result`.
template <layout::architecture Architecture, bool InTurn = false, typename Body>
IPU_DSL_ALWAYS_INLINE void for_row_vectors(float* result, std::int32_t rows, std::int32_t units,
                                           const Body& body) {
  using lanes = vector<Architecture>;
  using four = paired<paired<lanes>>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * stride;
    std::int32_t n = 0;
    if constexpr (InTurn) {
      for (; stride - n >= 4 * Architecture.lanes; n += 4 * Architecture.lanes) {
        body.template operator()<four>(first + n);
      }
    }
    for (; n < stride; n += Architecture.lanes) {
      body.template operator()<lanes>(first + n);
    }
    clear_padding(result + first, units, stride);
  }
}

/// y = activation(x), both [rows][row_stride(units)]; `y` may be `x`. The extents are arguments,
/// because constants would buy nothing in a loop over whole vectors.
template <activation_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void activation_forward(const float* x, float* y, std::int32_t rows,
                                          std::int32_t units, float alpha) noexcept {
  for_row_vectors<Architecture, computes_in_turn(Kind)>(
      y, rows, units, [&]<typename Vectors>(std::ptrdiff_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        store(y + i, activate<Kind>(load<Vectors>(x + i), alpha));
      });
}

/// dx = gradient * activation'(x), all [rows][row_stride(units)]; `dx` may be `gradient`.
template <activation_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void activation_gradient_from_input(const float* gradient, const float* x,
                                                      float* dx, std::int32_t rows,
                                                      std::int32_t units, float alpha) noexcept {
  for_row_vectors<Architecture, computes_in_turn(Kind)>(
      dx, rows, units, [&]<typename Vectors>(std::ptrdiff_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const Vectors derivative = derivative_from_input<Kind>(load<Vectors>(x + i), alpha);
        store(dx + i, load<Vectors>(gradient + i) * derivative);
      });
}

/// The gradient of an activation's input: `gradient` times the derivative, or chosen where the
/// derivative is 0 or 1, so that a gradient that is not finite cannot pass a closed relu.
template <activation_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector gradient_through(Vector gradient, Vector y, float alpha) {
  if constexpr (Kind == activation_kind::linear) {
    return gradient;
  } else if constexpr (Kind == activation_kind::relu) {
    return choose(y > Vector(0.0F), gradient, Vector(0.0F));
  } else if constexpr (Kind == activation_kind::relu6) {
    const Vector below = choose(y < Vector(6.0F), gradient, Vector(0.0F));
    return choose(y > Vector(0.0F), below, Vector(0.0F));
  } else {
    return gradient * derivative_from_output<Kind>(y, alpha);
  }
}

/// The pixels that an activation made, for a gradient that goes back through it and lies as they
/// do; none where it is linear.
template <activation_kind Through>
struct activated_pixels {
  const float* first = nullptr;

  IPU_DSL_ALWAYS_INLINE activated_pixels at(std::ptrdiff_t floats) const {
    return {Through == activation_kind::linear ? nullptr : first + floats};
  }

  /// Of `count` pixels beside each other, `apart` floats from one to the next, some vectors.
  template <layout::architecture Architecture, int Vectors>
  IPU_DSL_ALWAYS_INLINE void put_through(float* gradient, std::ptrdiff_t apart,
                                         std::int32_t count) const {
    using lanes = vector<Architecture>;
    for (std::int32_t i = 0; Through != activation_kind::linear && i < count; ++i) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        const std::ptrdiff_t place = i * apart + v * Architecture.lanes;
        const lanes made = load<lanes>(first + place);
        const lanes before = load<lanes>(gradient + place);
        store(gradient + place, gradient_through<Through>(before, made, 0.0F));
      }
    }
  }
};

/// dx = gradient * activation'(x) from y = activation(x), all [rows][row_stride(units)]; `dx` may
/// be `gradient`.
template <activation_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void activation_gradient_from_output(const float* gradient, const float* y,
                                                       float* dx, std::int32_t rows,
                                                       std::int32_t units, float alpha) noexcept {
  for_row_vectors<Architecture>(
      dx, rows, units, [&]<typename Vectors>(std::ptrdiff_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        store(dx + i,
              gradient_through<Kind>(load<Vectors>(gradient + i), load<Vectors>(y + i), alpha));
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
