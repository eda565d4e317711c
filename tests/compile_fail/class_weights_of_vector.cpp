// SPDX-License-Identifier: MIT
// Weights by class of labels that do not say how many classes there are.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void weigh(const std::vector<std::int32_t>& kinds) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto weights = weights_by_class(kinds, {1.0F, 4.0F});
#else
  const label_column<2> column(kinds);
  [[maybe_unused]] const auto weights = weights_by_class(column, {1.0F, 4.0F});
#endif
}
