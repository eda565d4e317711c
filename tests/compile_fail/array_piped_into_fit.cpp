// SPDX-License-Identifier: MIT
// An array is no data set that could be shuffled by |: fit shuffles it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

void learn(const std::vector<float>& features, const std::vector<float>& prices) {
  session<training> run;
#ifdef WITH_MISTAKE
  run.fit(features | shuffled(1000), prices);
#else
  run.fit(features, prices);
#endif
}
