// SPDX-License-Identifier: MIT
// A feed of a vector that ends before it is read.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

std::int64_t samples_of(const std::vector<float>& features) {
#ifdef WITH_MISTAKE
  const batch_feed given({std::vector<float>(features), 4});
#else
  const batch_feed given({features, 4});
#endif
  return given.length().value_or(0);
}
