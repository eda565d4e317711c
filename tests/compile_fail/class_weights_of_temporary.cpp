// SPDX-License-Identifier: MIT
// Classes are weighed of data that nobody keeps.
#include <ipu_dsl/data/class_weights.hpp>

using namespace ipu_dsl;

using pictures = labelled_dataset<shape{4}, 2>;

void weigh(const pictures& data) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto weighted = as_bytes(data) | class_weighted({1.0F, 4.0F});
#else
  const auto bytes = as_bytes(data);
  [[maybe_unused]] const auto weighted = bytes | class_weighted({1.0F, 4.0F});
#endif
}
