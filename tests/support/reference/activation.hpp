// SPDX-License-Identifier: MIT
// The activations of Keras 2.4 and their derivatives in float64, straight from the definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "support/reference/matrix.hpp"

namespace reference {

enum class activation {
  linear,
  relu,
  leaky_relu,
  elu,
  gelu,
  swish,
  sigmoid,
  tanh,
  softplus,
  softmax
};

inline double logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

/// Every activation but softmax, which is not elementwise. `alpha`: the slope of leaky_relu below
/// zero, the scale of elu.
inline double activate(activation kind, double x, double alpha) {
  switch (kind) {
    case activation::relu:
      return x > 0 ? x : 0;
    case activation::leaky_relu:
      return x > 0 ? x : alpha * x;
    case activation::elu:
      return x > 0 ? x : alpha * std::expm1(x);
    case activation::gelu:
      return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case activation::swish:
      return x * logistic(x);
    case activation::sigmoid:
      return logistic(x);
    case activation::tanh:
      return std::tanh(x);
    case activation::softplus:
      return std::log1p(std::exp(x));
    default:
      return x;
  }
}

/// The derivative of `activate` at `x`.
inline double derivative(activation kind, double x, double alpha) {
  const double s = logistic(x);
  switch (kind) {
    case activation::relu:
      return x > 0 ? 1 : 0;
    case activation::leaky_relu:
      return x > 0 ? 1 : alpha;
    case activation::elu:
      return x > 0 ? 1 : alpha * std::exp(x);
    case activation::gelu:
      return 0.5 * (1.0 + std::erf(x / std::sqrt(2.0))) +
             x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::acos(-1.0));
    case activation::swish:
      return s + x * s * (1.0 - s);
    case activation::sigmoid:
      return s * (1.0 - s);
    case activation::tanh:
      return 1.0 - std::tanh(x) * std::tanh(x);
    case activation::softplus:
      return s;
    default:
      return 1;
  }
}

/// softmax of `columns` numbers: y[n] = e^x[n] / sum of all e^x.
inline void softmax_row(const double* x, double* y, std::size_t columns) {
  const double largest = *std::max_element(x, x + columns);
  double total = 0;
  for (std::size_t n = 0; n < columns; ++n) {
    y[n] = std::exp(x[n] - largest);
    total += y[n];
  }
  for (std::size_t n = 0; n < columns; ++n) {
    y[n] /= total;
  }
}

inline matrix activated(activation kind, double alpha, const matrix& x) {
  matrix y(x.rows, x.columns);
  for (std::size_t r = 0; r < x.rows; ++r) {
    if (kind == activation::softmax) {
      softmax_row(x.row(r), y.row(r), x.columns);
      continue;
    }
    for (std::size_t n = 0; n < x.columns; ++n) {
      y.row(r)[n] = activate(kind, x.row(r)[n], alpha);
    }
  }
  return y;
}

/// The gradient at the activation's input `x` from that at its output.
inline matrix activation_gradient(activation kind, double alpha, const matrix& x,
                                  const matrix& gradient) {
  matrix made(x.rows, x.columns);
  std::vector<double> y(x.columns);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const double* const g = gradient.row(r);
    double mean = 0;
    if (kind == activation::softmax) {
      softmax_row(x.row(r), y.data(), x.columns);
      for (std::size_t n = 0; n < x.columns; ++n) {
        mean += g[n] * y[n];
      }
    }
    for (std::size_t n = 0; n < x.columns; ++n) {
      made.row(r)[n] = kind == activation::softmax ? y[n] * (g[n] - mean)
                                                   : g[n] * derivative(kind, x.row(r)[n], alpha);
    }
  }
  return made;
}

}  // namespace reference
