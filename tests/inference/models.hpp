// SPDX-License-Identifier: MIT
// Small models for predictors: rows with and without padding at either end, views, joins.
#pragma once

#include <cstddef>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/layers/conv1d.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/lstm.hpp>

namespace ipu_dsl::tests {

/// Both ends padded.
struct odd_ends
    : model<input<4, 5>, pipeline<stage<Flatten, Dense<37, relu>>, stage<Dense<5, softmax>>>> {};

/// Neither end padded, on any vector unit.
struct whole_ends : model<input<32>, sequential<Dense<48, hyperbolic_tangent>, Dense<16>>> {};

/// Read twice at the input and at the output.
struct joined
    : model<input<32>, sequential<residual<Dense<32, relu>, Dense<32>>,
                                  concat<Dense<9, sigmoid>, Dense<7, relu>>, Dropout<0.5F>>> {};

/// Steps of three numbers, with something to carry between them.
struct gated
    : model<input<4, 3>,
            sequential<Conv1D<4, 2, causal_padding>, LSTM<5, return_sequences<true>>, GRU<5>>> {};

/// No call at all: what comes in goes out.
struct nothing : model<input<4, 8>, sequential<Flatten>> {};

/// 0, 1, -1, ... in sevenths: every value another.
inline std::vector<float> samples_of(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<float>(i % 61) / 7.0F;
    values[i] = i % 2 == 0 ? size : -size;
  }
  return values;
}

}  // namespace ipu_dsl::tests
