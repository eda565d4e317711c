// SPDX-License-Identifier: MIT
// Callbacks on a thread of their own, and none of them.
#include <ipu_dsl/training/callbacks.hpp>

using namespace ipu_dsl;

void test() {
#ifdef WITH_MISTAKE
  asynchronous beside;
#else
  asynchronous beside(terminate_on_nan{});
#endif
  static_cast<void>(beside);
}
