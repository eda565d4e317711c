// SPDX-License-Identifier: MIT
// The activation functions by name, as a value that layers, plans and kernels share.
#pragma once

#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The activations of Keras 2.4. `leaky_relu` and `elu` take a slope `alpha` beside the kind;
/// `gelu` is the exact one (with the error function), `swish` is x * sigmoid(x), `hard_sigmoid` is
/// 0.2 x + 0.5 within [0, 1], `mish` is x * tanh(softplus(x)), `relu6` is x within [0, 6].
enum class activation_kind : int {
  linear,
  relu,
  leaky_relu,
  elu,
  gelu,
  swish,
  sigmoid,
  tanh,
  softplus,
  selu,
  hard_sigmoid,
  softsign,
  exponential,
  mish,
  softmax,
  log_softmax,
  relu6
};

/// The name by which layers are told it, Keras's but for tanh: `"leaky_relu"`.
constexpr std::string_view name_of(activation_kind kind) {
  switch (kind) {
    case activation_kind::linear:
      return "linear";
    case activation_kind::relu:
      return "relu";
    case activation_kind::leaky_relu:
      return "leaky_relu";
    case activation_kind::elu:
      return "elu";
    case activation_kind::gelu:
      return "gelu";
    case activation_kind::swish:
      return "swish";
    case activation_kind::sigmoid:
      return "sigmoid";
    case activation_kind::tanh:
      return "hyperbolic_tangent";
    case activation_kind::softplus:
      return "softplus";
    case activation_kind::selu:
      return "selu";
    case activation_kind::hard_sigmoid:
      return "hard_sigmoid";
    case activation_kind::softsign:
      return "softsign";
    case activation_kind::exponential:
      return "exponential";
    case activation_kind::mish:
      return "mish";
    case activation_kind::softmax:
      return "softmax";
    case activation_kind::log_softmax:
      return "log_softmax";
    case activation_kind::relu6:
      return "relu6";
  }
  return "";
}

/// The activation that a layer tells of itself, if it could have one.
struct told_activation {
  bool told = false;
  activation_kind kind = activation_kind::linear;
};

/// Whether an activation looks at the last axis as a whole, as opposed to number by number.
constexpr bool normalizes(activation_kind kind) {
  return kind == activation_kind::softmax || kind == activation_kind::log_softmax;
}

/// Whether what it makes lies between 0 and 1: probabilities, to a cross-entropy.
constexpr bool makes_probabilities(activation_kind kind) {
  return kind == activation_kind::sigmoid || kind == activation_kind::hard_sigmoid ||
         kind == activation_kind::softmax;
}

/// Whether the derivative is an elementwise function of the activation's output, so that backward
/// need not keep the input. `gelu`, `swish` and `mish` are not invertible; `softmax` and
/// `log_softmax` mix the units of a row (their gradients have kernels of their own, from the output
/// as well).
constexpr bool gradient_from_output(activation_kind kind) {
  switch (kind) {
    case activation_kind::gelu:
    case activation_kind::swish:
    case activation_kind::mish:
    case activation_kind::softmax:
    case activation_kind::log_softmax:
      return false;
    default:
      return true;
  }
}

/// Whether nothing but the activation's output says what its gradient goes through: no number goes
/// with it, as the slope of leaky_relu does.
constexpr bool gradient_from_output_alone(activation_kind kind) {
  return kind != activation_kind::linear && kind != activation_kind::leaky_relu &&
         kind != activation_kind::elu && gradient_from_output(kind);
}

/// Whether a layer can apply it to the numbers that it writes as if nothing were done: it takes
/// less than to move them, leaves zeros what they are, which may be padding, and its output says
/// what its gradient goes through.
constexpr bool applied_in_passing(activation_kind kind) {
  return kind == activation_kind::relu || kind == activation_kind::relu6;
}

}  // namespace ipu_dsl
