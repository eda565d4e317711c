// SPDX-License-Identifier: MIT
// Values for a weight that are too few, as the compiler knows.
#include <array>

#include <ipu_dsl/hana/weights.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/runtime/weights.hpp>

using namespace ipu_dsl;
using namespace ipu_dsl::literals;

struct mlp : model<input<8>, sequential<Dense<16, relu>, named<"logits", Dense<4>>>> {};

void test(weights_of<mlp>& known) {
#ifdef WITH_MISTAKE
  weights(known)["logits"_s]["kernel"_s].set(std::array<float, 32>{});
#else
  weights(known)["logits"_s]["kernel"_s].set(std::array<float, 64>{});
#endif
}
