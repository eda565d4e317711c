// SPDX-License-Identifier: MIT
// Data over an array that ends with the call.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

auto data_over(const std::vector<float>& features, const std::vector<std::int32_t>& labels) {
#ifdef WITH_MISTAKE
  return over_arrays<feature_column<shape{2}>, label_column<3>>(std::vector<float>(features),
                                                                labels);
#else
  return over_arrays<feature_column<shape{2}>, label_column<3>>(features, labels);
#endif
}
