// SPDX-License-Identifier: MIT
// The numbers of an optimizer by names that they have elsewhere.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct training : compile<net, micro_batch<8>, gradient_accumulation<4>, grouped,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

void change(session<training>& run) {
#ifdef WITH_MISTAKE
  run.set_optimizer({.lr = 0.1F});
#else
  run.set_optimizer({.learning_rate = 0.1F});
#endif
}
