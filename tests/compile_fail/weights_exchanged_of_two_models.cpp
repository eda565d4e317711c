// SPDX-License-Identifier: MIT
// Weights that go to and fro between threads, of two models.
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/runtime/weights_exchange.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, named<"price", Dense<1>>>> {};

struct other : model<input<4>, sequential<Dense<9, relu>, named<"price", Dense<1>>>> {};

#ifdef WITH_MISTAKE
void serve(weights_of<regression>& first, weights_of<other>& second) {
#else
void serve(weights_of<regression>& first, weights_of<regression>& second) {
#endif
  const weights_exchange<regression> exchange(first, second);
  static_cast<void>(exchange);
}
