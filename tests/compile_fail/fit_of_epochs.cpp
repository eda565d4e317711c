// SPDX-License-Identifier: MIT
// A number of epochs behind the data.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>> {};

void train(session<training>& run, const labelled_dataset<shape{4}, 3, float>& data) {
#ifdef WITH_MISTAKE
  run.fit(data, 5);
#else
  run.fit(data, {.epochs = 5});
#endif
}
