// SPDX-License-Identifier: MIT
// Pairs of layers without `.names =`.
#include <ipu_dsl/exchange/keras.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<2>>> {};

void load(parameters& weights) {
#ifdef WITH_MISTAKE
  load_keras<net>(weights, "m.npz", {{"fc1", "dense_0"}});
#else
  load_keras<net>(weights, "m.npz", {.names = {{"fc1", "dense_0"}}});
#endif
}
