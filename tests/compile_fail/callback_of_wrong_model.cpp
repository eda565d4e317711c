// SPDX-License-Identifier: MIT
// A wrong model that is trained with a local callback is one error.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4>, sequential<Dense<0>>> {};
#else
struct net : model<input<4>, sequential<Dense<1>>> {};
#endif

struct training : compile<net, micro_batch<4>, loss<mean_squared_error>> {};

void test(const paired_dataset<shape{4}, shape{1}>& data) {
  session<training> run;
  run.fit(data, {.epochs = 2}, [](const epoch_record&) {});
}
