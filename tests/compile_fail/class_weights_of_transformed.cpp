// SPDX-License-Identifier: MIT
// Classes are weighed of data that are shuffled already.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void weigh(const labelled_dataset<shape{4}, 2, float>& data) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto weighted = data | shuffled(100) | class_weighted({1.0F, 4.0F});
#else
  const auto weighted = data | class_weighted({1.0F, 4.0F});
  [[maybe_unused]] const auto order = weighted | shuffled(100);
#endif
}
