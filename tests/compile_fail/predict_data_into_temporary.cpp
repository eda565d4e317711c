// SPDX-License-Identifier: MIT
// What is predicted of data goes where nobody reads it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

void estimate(const std::vector<float>& features, const std::vector<float>& prices) {
  session<training> run;
  const auto data =
      over_arrays<feature_column<shape{4}>, target_column<shape{1}>>(features, prices);
#ifdef WITH_MISTAKE
  run.predict(data, std::vector<float>(prices.size()));
#else
  std::vector<float> estimates(prices.size());
  run.predict(data, estimates);
#endif
}
