// SPDX-License-Identifier: MIT
// Plain vectors, of which nobody knows what they are.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void make(const std::vector<float>& images, const std::vector<std::int32_t>& kinds) {
#ifdef WITH_MISTAKE
  const auto data = zipped(images, kinds);
#else
  const auto data = zipped(feature_column<shape{28, 28}>(images), label_column<10>(kinds));
#endif
  static_cast<void>(data);
}
