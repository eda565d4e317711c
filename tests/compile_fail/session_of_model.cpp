// SPDX-License-Identifier: MIT
// A session of a model that was not compiled.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training
    : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};

#ifdef WITH_MISTAKE
using trained = session<net>;
#else
using trained = session<training>;
#endif

double accuracy() {
  const auto digits = synthetic_digits(100, 1);
  trained run({.learning_rate = 0.01F});
  const trained& same = run;
  if (&same.weights() != &run.weights()) {
    return 0;
  }
  run.fit(digits | repeated(), {.epochs = 2, .steps_per_epoch = 4});
  return run.evaluate(digits).metrics["accuracy"];
}
