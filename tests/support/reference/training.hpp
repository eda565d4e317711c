// SPDX-License-Identifier: MIT
// Training in float64: gradient accumulation and stochastic gradient descent as Keras writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/reference/loss.hpp"
#include "support/reference/network.hpp"

namespace reference {

/// Stochastic gradient descent with Keras's formulas.
struct descent {
  enum class kind { plain, momentum, nesterov };

  kind what = kind::plain;
  double learning_rate = 0;
  double momentum = 0;
};

/// One update by the gradient times `factor`; the gradient starts anew.
inline void update(parameter& of, const descent& by, double factor) {
  for (std::size_t i = 0; i < of.values.size(); ++i) {
    const double step = by.learning_rate * factor * of.gradient[i];
    double& velocity = of.velocity[i];
    switch (by.what) {
      case descent::kind::plain:
        of.values[i] -= step;
        break;
      case descent::kind::momentum:
        velocity = by.momentum * velocity - step;
        of.values[i] += velocity;
        break;
      case descent::kind::nesterov:
        velocity = by.momentum * velocity - step;
        of.values[i] += by.momentum * velocity - step;
        break;
    }
    of.gradient[i] = 0;
  }
}

inline void update(chain& layers, const descent& by, double factor) {
  for (parameter* each : parameters_of(layers)) {
    update(*each, by, factor);
  }
}

/// Adds the gradient of the micro-batch's mean loss and returns that loss.
inline double accumulate(chain& layers, const matrix& features,
                         std::span<const std::int32_t> labels,
                         score_kind scores = score_kind::logits) {
  const matrix output = forward(layers, features);
  backward(layers, cross_entropy_gradient(scores, output, labels), false);
  return cross_entropy(scores, output, labels);
}

}  // namespace reference
