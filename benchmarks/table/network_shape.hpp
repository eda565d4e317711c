// SPDX-License-Identifier: MIT
// The network that everything here is measured on: 784-256-128-64-32-10, relu between.
#pragma once

#include <array>
#include <cstddef>

namespace table {

struct layer_shape {
  int inputs;
  int outputs;
};

inline constexpr std::array<layer_shape, 5> layer_shapes{
    {{784, 256}, {256, 128}, {128, 64}, {64, 32}, {32, 10}}};
inline constexpr std::size_t layer_count = layer_shapes.size();
inline constexpr int network_inputs = layer_shapes.front().inputs;
inline constexpr int network_classes = layer_shapes.back().outputs;

/// Multiply-adds of one sample through all layers.
constexpr double multiply_adds_of_forward() {
  double sum = 0;
  for (const layer_shape& layer : layer_shapes) {
    sum += static_cast<double>(layer.inputs) * layer.outputs;
  }
  return sum;
}

/// Forward and weight gradient of every layer, input gradient of all but the first.
constexpr double multiply_adds_of_training() {
  constexpr double first =
      static_cast<double>(layer_shapes.front().inputs) * layer_shapes.front().outputs;
  return 3 * multiply_adds_of_forward() - first;
}

/// Bytes of all kernels and biases as floats.
constexpr std::size_t bytes_of_weights() {
  std::size_t elements = 0;
  for (const layer_shape& layer : layer_shapes) {
    elements += static_cast<std::size_t>((layer.inputs + 1) * layer.outputs);
  }
  return elements * sizeof(float);
}

}  // namespace table
