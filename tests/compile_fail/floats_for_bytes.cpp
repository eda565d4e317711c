// SPDX-License-Identifier: MIT
// A data set that gives floats, for an input of bytes.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net
    : model<input<dtype::uint8, 28, 28>, sequential<Rescaling<1.0F / 255>, Flatten, Dense<10>>> {};

struct training : compile<net, loss<sparse_categorical_crossentropy>> {};

void test(session<training>& run, const labelled_dataset<shape{28, 28}, 10>& digits) {
#ifdef WITH_MISTAKE
  run.evaluate(digits);
#else
  const auto bytes = as_bytes(digits);
  run.evaluate(bytes);
#endif
}
