// SPDX-License-Identifier: MIT
// The mode of a callback as the text that Keras takes.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/callbacks.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<net, micro_batch<4>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {
};

void train(session<training>& run, const paired_dataset<shape{4}, shape{2}>& data) {
#ifdef WITH_MISTAKE
  run.fit(data, {.epochs = 2}, early_stopping({.monitor = "loss", .mode = "min"}));
#else
  run.fit(data, {.epochs = 2}, early_stopping({.monitor = "loss", .mode = monitor_mode::smaller}));
#endif
}
