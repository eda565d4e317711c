// SPDX-License-Identifier: MIT
// A predicate behind what gives samples an order of their own.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void pick(const labelled_dataset<shape{4}, 2, float>& data) {
  const auto positive = [](std::span<const float> x) { return x[0] > 0; };
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto some = data | shuffled(100) | filtered(positive);
#else
  [[maybe_unused]] const auto some = data | filtered(positive) | shuffled(100);
  [[maybe_unused]] const auto others = data | shuffled(100) | fixed_order(1) | filtered(positive);
#endif
}
