// SPDX-License-Identifier: MIT
// Arrays in braces, as lists of Python are written.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

void train(const std::vector<float>& features, const std::vector<float>& prices) {
  session<training> run;
#ifdef WITH_MISTAKE
  run.fit({features, features}, {prices, prices}, {.epochs = 2});
#else
  run.fit(features, prices, {.epochs = 2});
#endif
}
