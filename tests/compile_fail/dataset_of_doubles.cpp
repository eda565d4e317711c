// SPDX-License-Identifier: MIT
// Features of double for a data set of float.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using number = double;
#else
using number = float;
#endif

std::int64_t count(const std::vector<number>& features, const std::vector<std::int32_t>& labels) {
  return labelled_dataset<shape{4}, 3, float>(features, labels).size();
}
