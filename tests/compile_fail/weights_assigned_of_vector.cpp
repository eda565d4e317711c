// SPDX-License-Identifier: MIT
// Weights assigned from a vector, whose length no type tells.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>

using namespace ipu_dsl;

struct net : model<input<2>, sequential<Dense<3>>> {};

void test(weights_of<net>& weights, const std::vector<float>& numbers) {
#ifdef WITH_MISTAKE
  weights.assign(numbers);
#else
  weights.assign(std::span(numbers).first<9>());
#endif
}
