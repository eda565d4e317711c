// SPDX-License-Identifier: MIT
// A hook that would never be called.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

struct training : compile<net, micro_batch<2>, loss<sparse_categorical_crossentropy>> {};

struct counts_epochs {
  int epochs = 0;

  void on_train_begin() { epochs = 0; }

#ifdef WITH_MISTAKE
  void on_epoch_ends(const epoch_record&) { ++epochs; }
#else
  void on_epoch_end(const epoch_record&) { ++epochs; }
#endif
};

void train(session<training>& run, const labelled_dataset<shape{4}, 3, float>& data) {
  run.fit(data, {.epochs = 2}, counts_epochs{});
}
