// SPDX-License-Identifier: MIT
// Data say what samples count, and no loss asks.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<mean_squared_error>;
#else
using wanted = loss<mean_squared_error, sample_weights>;
#endif

struct training : compile<regression, micro_batch<8>, wanted> {};

void train(const std::vector<float>& features, const std::vector<float>& prices,
           const std::vector<float>& importance) {
  session<training> run;
  run.fit(zipped(feature_column<shape{4}>(features), target_column<shape{1}>(prices),
                 weight_column(importance)));
}
