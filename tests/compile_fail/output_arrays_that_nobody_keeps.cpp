// SPDX-License-Identifier: MIT
// An array to write outputs to that ends before it is read.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

auto written(std::vector<float>& scores) {
#ifdef WITH_MISTAKE
  return output_arrays{scores, std::vector<float>(4)};
#else
  return output_arrays{scores, std::span<float>(scores)};
#endif
}
