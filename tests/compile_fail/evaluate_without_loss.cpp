// SPDX-License-Identifier: MIT
// Evaluating what was compiled to predict.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, micro_batch<4>> {};
#else
struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};
#endif

evaluation test(session<training>& run, const digit_dataset& digits) {
  return run.evaluate(digits);
}
