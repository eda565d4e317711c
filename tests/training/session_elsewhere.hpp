// SPDX-License-Identifier: MIT
// A model whose session is compiled in session_elsewhere_code.cpp.
#pragma once

#include <cstdint>

#include <ipu_dsl/interface.hpp>

#include "support/labelled_points.hpp"

namespace ipu_dsl::tests {

struct compiled_elsewhere_model : model<input<8>, sequential<Dense<16, relu>, Dense<3>>> {};

struct compiled_elsewhere
    : compile<compiled_elsewhere_model, micro_batch<8>, gradient_accumulation<2>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

/// Trains, and returns the fingerprint of the weights.
template <typename Compiled>
std::uint64_t trained_weights() {
  session<Compiled> run({.learning_rate = 0.1F});
  const point_set points = labelled_points(64, 3);
  run.fit(points, {.epochs = 3});
  return run.weights().fingerprint();
}

/// The same for `compiled_elsewhere`, from a source that has seen no code.
std::uint64_t weights_trained_elsewhere();

}  // namespace ipu_dsl::tests

extern template struct ipu_dsl::session_code<ipu_dsl::tests::compiled_elsewhere>;
