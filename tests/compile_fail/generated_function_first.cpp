// SPDX-License-Identifier: MIT
// A function and the number of samples that it makes, in the wrong order.
#include <cstdint>
#include <span>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void make() {
  const auto wave = [](std::uint32_t i, std::span<float> features) {
    features[0] = static_cast<float>(i);
  };
#ifdef WITH_MISTAKE
  const auto waves = generated<feature_column<shape{4}>>(wave, 100);
#else
  const auto waves = generated<feature_column<shape{4}>>(100, wave);
#endif
  static_cast<void>(waves);
}
