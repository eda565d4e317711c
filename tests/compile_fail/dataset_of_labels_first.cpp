// SPDX-License-Identifier: MIT
// Labels before features.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

std::int64_t count(const std::vector<float>& features, const std::vector<std::int32_t>& labels) {
#ifdef WITH_MISTAKE
  return labelled_dataset<shape{4}, 3, float>(labels, features).size();
#else
  return labelled_dataset<shape{4}, 3, float>(features, labels).size();
#endif
}
