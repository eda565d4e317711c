// SPDX-License-Identifier: MIT
// Arrays of a call that end before it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

auto both(const std::vector<float>& images, const std::vector<float>& words) {
#ifdef WITH_MISTAKE
  return input_arrays{images, std::vector<float>(words)};
#else
  return input_arrays{images, words};
#endif
}
