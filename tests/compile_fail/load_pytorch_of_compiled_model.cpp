// SPDX-License-Identifier: MIT
// Weights of PyTorch for a compiled model.
#include <ipu_dsl/exchange/pytorch.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<2>>> {};

struct training : compile<net, loss<mean_squared_error>> {};

void load(parameters& weights) {
#ifdef WITH_MISTAKE
  load_pytorch<training>(weights, "m.npz");
#else
  load_pytorch<net>(weights, "m.npz");
#endif
}
