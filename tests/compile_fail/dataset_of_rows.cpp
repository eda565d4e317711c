// SPDX-License-Identifier: MIT
// A vector a sample for a data set.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using features_type = std::vector<std::vector<float>>;
#else
using features_type = std::vector<float>;
#endif

std::int64_t count(const features_type& features, const std::vector<std::int32_t>& labels) {
  return labelled_dataset<shape{4}, 3, float>(features, labels).size();
}
