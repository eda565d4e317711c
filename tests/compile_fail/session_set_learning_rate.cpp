// SPDX-License-Identifier: MIT
// A rate that is set as a callback sets it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

void slow_down(session<training>& run) {
#ifdef WITH_MISTAKE
  run.set_learning_rate(0.001F);
#else
  run.set_optimizer({.learning_rate = 0.001F});
#endif
}
