// SPDX-License-Identifier: MIT
// A callable where the options stand.
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>> {};

void train(session<training>& run, const labelled_dataset<shape{4}, 3, float>& data) {
  const auto done = [](const epoch_record&) {};
#ifdef WITH_MISTAKE
  run.fit(data, done);
#else
  run.fit(data, {}, done);
#endif
}
