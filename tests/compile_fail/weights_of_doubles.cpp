// SPDX-License-Identifier: MIT
// The values of a parameter, asked for as doubles.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct training : compile<net, micro_batch<8>, gradient_accumulation<4>, grouped,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

void read(session<training>& run) {
#ifdef WITH_MISTAKE
  std::vector<double> values(32);
#else
  std::vector<float> values(32);
#endif
  run.weights().get("dense/kernel", values);
}
