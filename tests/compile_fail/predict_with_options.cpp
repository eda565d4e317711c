// SPDX-License-Identifier: MIT
// Options of predict, which Keras has.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct digits_model : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training : compile<digits_model, micro_batch<8>, loss<sparse_categorical_crossentropy>> {};

void predict() {
  const auto unseen = synthetic_digits(80, 2);
  std::vector<float> scores(800);
  session<training> run;
#ifdef WITH_MISTAKE
  run.predict(unseen, scores, {.batch_size = 32});
#else
  run.predict(unseen, scores);
#endif
}
