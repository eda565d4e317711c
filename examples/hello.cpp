// SPDX-License-Identifier: MIT
// The program of the README: its blocks in order and nothing else.
// [define]
#include <cstdio>

#include <ipu_dsl/ipu_dsl.hpp>
using namespace ipu_dsl;

struct mnist_mlp
    : model<input<28, 28>, pipeline<stage<Flatten, Dense<256, relu>>,
                                    stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>,
                                          named<"logits", Dense<10>>>>> {};

struct training
    : compile<mnist_mlp, micro_batch<32>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

static_assert(check<training>());                         // shapes, options, schedule: proven
static_assert(training::timeline.speedup_bound() > 1.3);  // what this cut can gain at most

// [/define]

// [train]
int main() {
  const auto digits = synthetic_digits(20'000, 1);  // drawn by the library: how many, seed
  const auto unseen = synthetic_digits(1'000, 2);

  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}, {.threads = 2}};
  run.fit(digits | shuffled(10'000) | repeated(), {.epochs = 2, .steps_per_epoch = 500});
  const evaluation found = run.evaluate(unseen);
  std::printf("loss %.3f, accuracy %.3f on %d digits\n", found.loss, found.metrics["accuracy"],
              static_cast<int>(found.samples));
}

// [/train]
