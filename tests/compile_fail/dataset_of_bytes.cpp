// SPDX-License-Identifier: MIT
// Floats for a data set of bytes, which is the default.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using samples = labelled_dataset<shape{4}, 3>;
#else
using samples = labelled_dataset<shape{4}, 3, float>;
#endif

std::int64_t count(const std::vector<float>& features, const std::vector<std::int32_t>& labels) {
  return samples(features, labels).size();
}
