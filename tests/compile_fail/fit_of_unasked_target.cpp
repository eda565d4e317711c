// SPDX-License-Identifier: MIT
// Data have a target of an output that no loss judges.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

void train(const std::vector<float>& features, const std::vector<float>& prices,
           [[maybe_unused]] const std::vector<std::int32_t>& kinds) {
  session<training> run;
  const feature_column<shape{4}> houses(features);
#ifdef WITH_MISTAKE
  run.fit(zipped(houses, target_column<shape{1}>(prices), label_column<3>(kinds)));
#else
  run.fit(zipped(houses, target_column<shape{1}>(prices)));
#endif
}
