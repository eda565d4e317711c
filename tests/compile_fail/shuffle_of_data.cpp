// SPDX-License-Identifier: MIT
// tf.data's name.
#include <ipu_dsl/ipu_dsl.hpp>

int main() {
  using namespace ipu_dsl;
  const auto digits = synthetic_digits(100, 1);
#ifdef WITH_MISTAKE
  const auto mixed = digits | shuffle(100);
#else
  const auto mixed = digits | shuffled(100);
#endif
  return mixed.steps.size() == 1 ? 0 : 1;
}
