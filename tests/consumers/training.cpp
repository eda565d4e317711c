// SPDX-License-Identifier: MIT
// Somebody else's program that trains: it needs what ipu_dsl::compiled defines.
#include <cstdio>
#include <string>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct classifier : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct training : compile<classifier, loss<sparse_categorical_crossentropy>, metrics<accuracy>,
                          optimizer<sgd<>>> {};

int main(int, char** arguments) {
  const auto digits = synthetic_digits(640, 1);
  session<training> run{{.learning_rate = 0.05F}};
  run.fit(digits | shuffled(640) | repeated(), {.steps_per_epoch = 200});
  const std::string path = std::string(arguments[0]) + ".npz";
  run.save(path);
  run.load(path);
  if (run.evaluate(digits).metrics["accuracy"] < 0.5) {
    return 1;
  }
  std::printf("consumed ipu_dsl %s\n", version);
}
