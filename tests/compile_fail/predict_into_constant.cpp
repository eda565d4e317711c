// SPDX-License-Identifier: MIT
// What a predictor makes of arrays goes where nothing can be written.
#include <vector>

#include <ipu_dsl/inference.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

bool estimate(const weights_of<regression>& weights, const std::vector<float>& features) {
  predictor<regression> run(weights);
#ifdef WITH_MISTAKE
  const std::vector<float> estimates(1);
#else
  std::vector<float> estimates(1);
#endif
  return run.predict(features, estimates);
}
