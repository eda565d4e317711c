// SPDX-License-Identifier: MIT
// A function that is given weights to look at, and sets some.
#include <ipu_dsl/inference.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, named<"price", Dense<1>>>> {};

#ifdef WITH_MISTAKE
void start_at(const weights_of<regression>& weights, float price) {
#else
void start_at(weights_of<regression>& weights, float price) {
#endif
  weights.set("price/bias", {price});
}
