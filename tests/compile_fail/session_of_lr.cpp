// SPDX-License-Identifier: MIT
// A learning rate by the name that PyTorch has for it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<net, micro_batch<4>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {
};

session<training> made() {
#ifdef WITH_MISTAKE
  return session<training>({.lr = 0.01F, .momentum = 0.9F});
#else
  return session<training>({.learning_rate = 0.01F, .momentum = 0.9F});
#endif
}
