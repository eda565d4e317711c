// SPDX-License-Identifier: MIT
// A function that is given a predictor to look at, and predicts: that changes its activations.
#include <array>

#include <ipu_dsl/inference.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

#ifdef WITH_MISTAKE
float price(const predictor<regression>& asked, const std::array<float, 4>& features) {
#else
float price(predictor<regression>& asked, const std::array<float, 4>& features) {
#endif
  return asked.push(features)[0];
}
