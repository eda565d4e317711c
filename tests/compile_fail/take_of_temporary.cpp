// SPDX-License-Identifier: MIT
// Steps of data that nobody keeps.
#include <ipu_dsl/data/class_weights.hpp>

using namespace ipu_dsl;

using pictures = labelled_dataset<shape{4}, 2>;

void order(const pictures& data) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto some = as_bytes(data) | take(3) | repeated();
#else
  const auto bytes = as_bytes(data);
  [[maybe_unused]] const auto some = bytes | take(3) | repeated();
#endif
}
