// SPDX-License-Identifier: MIT
// Small models in float64, trained by central differences: for models whose graph is no chain.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/runtime/parameters.hpp>

namespace reference {

/// Kernels and biases, in the order in which a session has them.
using weight_list = std::vector<std::vector<double>>;

inline weight_list weights_of_session(const ipu_dsl::parameters& kept) {
  weight_list weights;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(kept.at(i).extents.elements()));
    kept.get(i, values);
    weights.emplace_back(values.begin(), values.end());
  }
  return weights;
}

/// As many zeros.
inline weight_list zeros_like(weight_list weights) {
  for (std::vector<double>& each : weights) {
    each.assign(each.size(), 0);
  }
  return weights;
}

/// x * kernel + bias, of Dense `number`.
inline std::vector<double> dense_of(const weight_list& weights, std::size_t number,
                                    const std::vector<double>& x) {
  const std::vector<double>& kernel = weights[2 * number];
  std::vector<double> y = weights[2 * number + 1];
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t n = 0; n < y.size(); ++n) {
      y[n] += x[k] * kernel[k * y.size() + n];
    }
  }
  return y;
}

inline std::vector<double> tanh_of(std::vector<double> values) {
  for (double& value : values) {
    value = std::tanh(value);
  }
  return values;
}

inline double cross_entropy_of(const std::vector<double>& logits, std::int32_t label) {
  double exponentials = 0;
  for (const double logit : logits) {
    exponentials += std::exp(logit);
  }
  return std::log(exponentials) - logits[static_cast<std::size_t>(label)];
}

inline std::vector<double> row_of(std::span<const float> rows, std::size_t index,
                                  std::size_t elements) {
  const auto row = rows.subspan(index * elements, elements);
  return {row.begin(), row.end()};
}

/// One step of SGD with momentum on `loss(weights)`, its gradients by central differences.
template <typename Loss>
void descend(weight_list& weights, weight_list& velocities, double rate, double momentum,
             const Loss& loss) {
  const weight_list before = weights;
  weight_list probe = weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t k = 0; k < weights[i].size(); ++k) {
      constexpr double nudge = 1e-5;
      probe[i][k] = before[i][k] + nudge;
      const double above = loss(probe);
      probe[i][k] = before[i][k] - nudge;
      const double below = loss(probe);
      probe[i][k] = before[i][k];
      velocities[i][k] = momentum * velocities[i][k] - rate * (above - below) / (2 * nudge);
      weights[i][k] += velocities[i][k];
    }
  }
}

}  // namespace reference
