// SPDX-License-Identifier: MIT
// A loss asks what samples count, and arrays to validate on come without it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error, sample_weights>> {};

void train(const std::vector<float>& features, const std::vector<float>& prices,
           const std::vector<float>& importance) {
  session<training> run;
  const auto data = over_arrays<feature_column<shape{4}>, target_column<shape{1}>, weight_column<>>(
      features, prices, importance);
#ifdef WITH_MISTAKE
  run.fit(data, {}, validation_data(features, prices));
#else
  run.fit(data, {}, validation_data(features, prices, importance));
#endif
}
