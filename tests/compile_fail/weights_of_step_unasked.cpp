// SPDX-License-Identifier: MIT
// A step is told what samples count, and the loss does not ask for it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

double train(const std::vector<float>& features, const std::vector<float>& prices,
             [[maybe_unused]] const std::vector<float>& importance) {
  session<training> run;
#ifdef WITH_MISTAKE
  return run.train_step(features, prices, importance);
#else
  return run.train_step(features, prices);
#endif
}
