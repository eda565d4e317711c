// SPDX-License-Identifier: MIT
// A loss asks what samples count, and the data do not say.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error, sample_weights>> {};

void train(const std::vector<float>& features, const std::vector<float>& prices,
           const std::vector<float>& importance) {
  session<training> run;
  const feature_column<shape{4}> houses(features);
#ifdef WITH_MISTAKE
  run.fit(zipped(houses, target_column<shape{1}>(prices)));
#else
  run.fit(zipped(houses, target_column<shape{1}>(prices), weight_column(importance)));
#endif
}
