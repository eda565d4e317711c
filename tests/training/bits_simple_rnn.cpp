// SPDX-License-Identifier: MIT
// Recurrent layers: training on the rows of drawn digits learns, and has the same bits under every
// schedule and on any number of workers, which share every step.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

struct one_stage
    : model<input<28, 28>,
            sequential<SimpleRNN<40, return_sequences<true>>, SimpleRNN<33>, Dense<10>>> {};

struct two_stages : model<input<28, 28>, pipeline<stage<SimpleRNN<40, return_sequences<true>>>,
                                                  stage<SimpleRNN<33>, Dense<10>>>> {};

template <typename Model, typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training : compile<Model, Schedule, micro_batch<Samples>,
                          gradient_accumulation<MicroBatches>, replicas<Replicas>, mean_gradients,
                          loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

struct outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;
  double test_loss = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

const digit_dataset& digits() {
  static const digit_dataset made = synthetic_digits(640, 9);
  return made;
}

template <typename Compiled>
outcome train(int threads, std::int64_t steps, bool poison = true) {
  session<Compiled> run({.learning_rate = 0.002F},
                        {.threads = threads, .poison_freed_slots = poison});
  auto feed = make_feed(digits() | shuffled(500) | repeated(), 3);
  const auto losses = run.fit(feed, {.steps_per_epoch = steps}).losses();
  const double test_loss = run.evaluate(digits()).loss;
  return {run.weights().fingerprint(), {losses.begin(), losses.end()}, test_loss};
}

}  // namespace

TEST_CASE("recurrent layers train on the rows of drawn digits") {
  const outcome found = train<training<one_stage, sequential_schedule, 16, 2>>(2, 2000, false);
  CHECK(found.losses.front() > 2.0F);
  CHECK(found.test_loss < 0.5);
  // The same with every compiler and on every processor with fused multiply-add.
  if constexpr (layout::native.fused_multiply_add) {
    CHECK(found.weights == 0xf4da'a585'79aa'a4b4);
  }
  std::printf("recurrent layers: loss %f after 1000 updates, weights %016llx\n", found.test_loss,
              static_cast<unsigned long long>(found.weights));
}

TEST_CASE("recurrent layers have the same bits under every schedule and on any workers") {
  const outcome expected = train<training<one_stage, sequential_schedule, 8, 8>>(1, 32);
  REQUIRE(expected.losses.size() == 32);
  int compared = 0;
  for (const int threads : {2, 3}) {
    CHECK(train<training<one_stage, sequential_schedule, 8, 8>>(threads, 32) == expected);
    CHECK(train<training<two_stages, grouped, 8, 8>>(threads, 32) == expected);
    CHECK(train<training<two_stages, interleaved, 8, 8>>(threads, 32) == expected);
    compared += 3;
  }
  CHECK(train<training<two_stages, grouped, 8, 8>>(4, 32) == expected);
  CHECK(compared == 6);
}

TEST_CASE("the size of a micro-batch does not change the weights of recurrent layers") {
  const outcome expected = train<training<one_stage, sequential_schedule, 16, 2>>(1, 8);
  CHECK(train<training<one_stage, sequential_schedule, 4, 8>>(1, 32).weights == expected.weights);
}

TEST_CASE("recurrent layers of replicas have the same bits on any number of workers") {
  const outcome expected = train<training<one_stage, sequential_schedule, 8, 4, 2>>(1, 32);
  CHECK(train<training<one_stage, sequential_schedule, 8, 4, 2>>(4, 32) == expected);
}
