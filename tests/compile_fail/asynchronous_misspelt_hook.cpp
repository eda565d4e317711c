// SPDX-License-Identifier: MIT
// A misspelt hook among callbacks on a thread of their own.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/callbacks/asynchronous.hpp>

using namespace ipu_dsl;

struct mlp : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<mlp, micro_batch<4>, loss<mean_squared_error>> {};

struct patience {
#ifdef WITH_MISTAKE
  void on_epoch_ends(const epoch_record&) const {}
#else
  void on_epoch_end(const epoch_record&) const {}
#endif
};

void train(const paired_dataset<shape{4}, shape{2}>& data) {
  session<training> run;
  run.fit(data, {.epochs = 2}, asynchronous(patience{}));
}
