// SPDX-License-Identifier: MIT
// Labels in bytes.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using number = std::uint8_t;
#else
using number = std::int32_t;
#endif

std::int64_t count(const std::vector<float>& features, const std::vector<number>& labels) {
  return labelled_dataset<shape{4}, 3, float>(features, labels).size();
}
