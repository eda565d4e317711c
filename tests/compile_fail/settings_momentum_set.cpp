// SPDX-License-Identifier: MIT
// New settings with a number that the optimizer has not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};
#else
struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<momentum>>> {};
#endif

void set(session<training>& run) {
  run.set_optimizer({.learning_rate = 0.01F, .momentum = 0.9F});
}
