// SPDX-License-Identifier: MIT
// Weights of a constant that are those of another model.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>

using namespace ipu_dsl;

struct net : model<input<2>, sequential<Dense<3>>> {};

struct other : model<input<2>, sequential<Dense<3>, Dense<3>>> {};

constexpr std::array<float, 21> of_two{};
constexpr std::array<float, 9> of_one{};

#ifdef WITH_MISTAKE
const embedded_weights<other> weights(of_two);
#else
const embedded_weights<net> weights(of_one);
#endif

void test() {
  const predictor<net> classify(weights);
  static_cast<void>(classify);
  static_cast<void>(of_one);
  static_cast<void>(of_two);
}
