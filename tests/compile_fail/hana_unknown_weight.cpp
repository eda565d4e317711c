// SPDX-License-Identifier: MIT
// A weight that a layer has not, of those that predictors share.
#include <ipu_dsl/hana/weights.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/runtime/weights.hpp>

using namespace ipu_dsl;
using namespace ipu_dsl::literals;

struct mlp : model<input<8>, sequential<Dense<16, relu>, named<"logits", Dense<4>>>> {};

void test(weights_of<mlp>& known, std::span<const float> values) {
#ifdef WITH_MISTAKE
  weights(known)["logits"_s]["weight"_s].set(values);
#else
  weights(known)["logits"_s]["kernel"_s].set(values);
#endif
}
