// SPDX-License-Identifier: MIT
// Options of evaluate and predict, which Keras has.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct digits_model : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training : compile<digits_model, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

float measure() {
  const auto unseen = synthetic_digits(80, 2);
  session<training> run;
#ifdef WITH_MISTAKE
  return run.evaluate(unseen, {.batch_size = 32}).loss;
#else
  return run.evaluate(unseen | take(32)).loss;
#endif
}
