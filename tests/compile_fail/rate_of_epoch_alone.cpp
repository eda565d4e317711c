// SPDX-License-Identifier: MIT
// A learning_rate_scheduler of a function that is not told the rate so far.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/callbacks.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3, relu>, Dense<2>>> {};

struct training : compile<net, micro_batch<4>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {
};

void train(session<training>& run, const paired_dataset<shape{4}, shape{2}>& data) {
#ifdef WITH_MISTAKE
  run.fit(data, {.epochs = 2},
          learning_rate_scheduler([](std::int32_t epoch) { return 0.1F / (1 + epoch); }));
#else
  run.fit(data, {.epochs = 2}, learning_rate_scheduler([](std::int32_t epoch, float rate) {
            return rate / (1 + epoch);
          }));
#endif
}
