// SPDX-License-Identifier: MIT
// Weights of RTNeural for no model.
#include <ipu_dsl/exchange/rtneural.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<2>>> {};

void load(parameters& weights) {
#ifdef WITH_MISTAKE
  load_rtneural(weights, "m.json");
#else
  load_rtneural<net>(weights, "m.json");
#endif
}
