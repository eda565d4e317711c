// SPDX-License-Identifier: MIT
// The settings of an optimizer are no second mistake where the model is wrong.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<Conv2D<8, 3>, Flatten, Dense<10>>> {};
#else
struct net : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};
#endif

struct training
    : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>, optimizer<rmsprop<>>> {};

static_assert(check<training>());

void set(session<training>& run) {
  run.set_optimizer({.learning_rate = 0.01F, .rho = 0.8F});
}

session<training> made() {
  return session<training>({.learning_rate = 0.01F, .rho = 0.8F});
}
