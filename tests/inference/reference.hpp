// SPDX-License-Identifier: MIT
// What a session predicts, for predictors to agree with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/training/session.hpp>

#include "inference/models.hpp"

namespace ipu_dsl::tests {

/// A session's predictions, all at once.
template <model_type M>
struct reference_of {
  struct predicting : compile<M, micro_batch<32>> {};

  explicit reference_of(std::int64_t samples) {
    session<predicting> run;
    kept.copy_from(run.weights());
    features = samples_of(static_cast<std::size_t>(samples * sample_values));
    output.resize(static_cast<std::size_t>(samples) * result_values);
    run.predict(features, output);
  }

  static constexpr std::int64_t sample_values = predictor<M>::sample_values;
  static constexpr std::size_t result_values = predictor<M>::result_values;

  weights_of<M> kept;
  std::vector<float> features;
  std::vector<float> output;
};

}  // namespace ipu_dsl::tests
