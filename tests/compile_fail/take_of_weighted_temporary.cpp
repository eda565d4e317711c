// SPDX-License-Identifier: MIT
// Steps of weighed data that nobody keeps.
#include <ipu_dsl/data/class_weights.hpp>

using namespace ipu_dsl;

using pictures = labelled_dataset<shape{4}, 2>;

void order(const pictures& data) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto some = (data | class_weighted({1.0F, 4.0F})) | take(3);
#else
  const auto weighted = data | class_weighted({1.0F, 4.0F});
  [[maybe_unused]] const auto some = weighted | take(3);
#endif
}
