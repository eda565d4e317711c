// SPDX-License-Identifier: MIT
// A setting that another optimizer has.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training
    : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

session<training> made() {
#ifdef WITH_MISTAKE
  return session<training>({.learning_rate = 0.01F, .momentum = 0.9F});
#else
  return session<training>({.learning_rate = 0.01F, .beta_1 = 0.9F});
#endif
}
