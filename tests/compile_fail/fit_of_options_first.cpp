// SPDX-License-Identifier: MIT
// Options in front of the data that they are of.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct digits_model : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training : compile<digits_model, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

void train() {
  const auto digits = synthetic_digits(80, 2);
  session<training> run;
#ifdef WITH_MISTAKE
  run.fit({.epochs = 2}, digits);
#else
  run.fit(digits, {.epochs = 2});
#endif
}
