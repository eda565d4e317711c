// SPDX-License-Identifier: MIT
// A loss that judges by floats is given labels.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>> {};

#ifdef WITH_MISTAKE
using data_type = labelled_dataset<shape{4}, 3, float>;
#else
using data_type = paired_dataset<shape{4}, shape{1}>;
#endif

void train(const data_type& data) {
  session<training> run;
  run.fit(data);
}
