// SPDX-License-Identifier: MIT
// Options where the seed of data is wanted.
#include <ipu_dsl/data/prefetched.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void read_ahead(const digit_dataset& digits) {
#ifdef WITH_MISTAKE
  const auto ahead = prefetched(digits, {.depth = 8});
#else
  const auto ahead = prefetched(digits, 1, {.depth = 8});
#endif
  static_cast<void>(ahead);
}
