// SPDX-License-Identifier: MIT
// Weights of a constant that are too few for the model.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>

using namespace ipu_dsl;

struct net : model<input<2>, sequential<Dense<3>>> {};

constexpr std::array<float, 8> few{};
constexpr std::array<float, 9> all{};

#ifdef WITH_MISTAKE
constexpr embedded_weights<net> weights(few);
#else
constexpr embedded_weights<net> weights(all);
#endif

const std::byte* test() {
  return few.empty() || all.empty() ? nullptr : weights.data();
}
