// SPDX-License-Identifier: MIT
// A loss asks what samples count, and a step is given none of it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error, sample_weights>> {};

double train(const std::vector<float>& features, const std::vector<float>& prices,
             [[maybe_unused]] const std::vector<float>& importance) {
  session<training> run;
#ifdef WITH_MISTAKE
  return run.train_step(features, prices);
#else
  return run.train_step(features, prices, importance);
#endif
}
