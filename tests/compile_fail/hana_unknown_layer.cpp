// SPDX-License-Identifier: MIT
// Weights of a layer that the model has not.
#include <ipu_dsl/hana/weights.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;
using namespace ipu_dsl::literals;

struct mlp : model<input<8>, sequential<Dense<16, relu>, named<"logits", Dense<4>>>> {};

struct training : compile<mlp, loss<sparse_categorical_crossentropy>> {};

std::vector<float> test(const session<training>& run) {
#ifdef WITH_MISTAKE
  return weights(run)["logit"_s]["kernel"_s].get();
#else
  return weights(run)["logits"_s]["kernel"_s].get();
#endif
}
