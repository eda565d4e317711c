// SPDX-License-Identifier: MIT
// Callbacks as a list in braces.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/callbacks.hpp>

using namespace ipu_dsl;

struct digits_model : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training : compile<digits_model, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

void train() {
  const auto data = synthetic_digits(80, 1);
  session<training> run;
#ifdef WITH_MISTAKE
  run.fit(data, {.epochs = 2}, {progress_bar(), terminate_on_nan()});
#else
  run.fit(data, {.epochs = 2}, progress_bar(), terminate_on_nan());
#endif
}
