// SPDX-License-Identifier: MIT
// A share of the samples where their number is meant: it would be cut down to none of them.
#include <ipu_dsl/ipu_dsl.hpp>

int main() {
  using namespace ipu_dsl;
  const auto digits = synthetic_digits(100, 1);
#ifdef WITH_MISTAKE
  const auto some = digits | take(0.8);
#else
  const auto some = digits | take(80);
#endif
  return some.steps.size() == 1 ? 0 : 1;
}
