// SPDX-License-Identifier: MIT
// Data of different shapes behind one another.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void join(const labelled_dataset<shape{28, 28}, 10>& digits,
          const labelled_dataset<shape{32, 32}, 10>& larger) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto both = concatenated(digits, larger);
#else
  [[maybe_unused]] const auto both = concatenated(digits, digits);
  [[maybe_unused]] const auto others = concatenated(larger, larger);
#endif
}
