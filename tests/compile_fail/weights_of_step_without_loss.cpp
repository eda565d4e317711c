// SPDX-License-Identifier: MIT
// A step with weights of a model without a loss.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct scored : compile<regression, micro_batch<8>> {};

struct trained : compile<regression, micro_batch<8>, loss<mean_squared_error, sample_weights>> {};

#ifdef WITH_MISTAKE
using used = scored;
#else
using used = trained;
#endif

double train(const std::vector<float>& features, const std::vector<float>& prices,
             const std::vector<float>& importance) {
  session<used> run;
  return run.train_step(features, prices, importance);
}
