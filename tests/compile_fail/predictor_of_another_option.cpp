// SPDX-License-Identifier: MIT
// A predictor that is given another option of compile than its batch.
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

using namespace ipu_dsl;

struct mlp : model<input<5>, sequential<Dense<8, relu>, Dense<3>>> {};

#ifdef WITH_MISTAKE
using batch = gradient_accumulation<4>;
#else
using batch = micro_batch<4>;
#endif

bool classify(const weights_of<mlp>& weights, std::span<const float> x, std::span<float> y) {
  predictor<mlp, batch> given(weights);
  return given.predict(x, y);
}
