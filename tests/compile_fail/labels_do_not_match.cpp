// SPDX-License-Identifier: MIT
// Data of ten classes for a model that scores seven.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
constexpr int units = 7;
#else
constexpr int units = 10;
#endif
struct net : model<input<4>, sequential<Dense<units>>> {};

struct training : compile<net, micro_batch<1>, loss<sparse_categorical_crossentropy>> {};

evaluation test(session<training>& run, const labelled_dataset<shape{4}, 10, float>& data) {
  return run.evaluate(data);
}
