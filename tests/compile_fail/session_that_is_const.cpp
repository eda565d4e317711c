// SPDX-License-Identifier: MIT
// A function that is given a session to look at, and trains it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

#ifdef WITH_MISTAKE
void train(const session<training>& run, const std::vector<float>& features,
#else
void train(session<training>& run, const std::vector<float>& features,
#endif
           const std::vector<float>& prices) {
  run.fit(features, prices, {.epochs = 2});
}
