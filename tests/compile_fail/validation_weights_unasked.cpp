// SPDX-License-Identifier: MIT
// What samples count stands beside arrays to validate on, and no loss asks for it.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

void train(const std::vector<float>& features, const std::vector<float>& prices,
           const std::vector<float>& importance) {
  session<training> run;
#ifdef WITH_MISTAKE
  run.fit(features, prices, {}, validation_data(features, prices, importance));
#else
  run.fit(features, prices, {}, validation_data(features, prices));
  static_cast<void>(importance);
#endif
}
