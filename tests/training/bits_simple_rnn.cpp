// SPDX-License-Identifier: MIT
// Recurrent layers: training on the rows of drawn digits learns, and has the same bits under every
// schedule and on any number of workers, which share every step.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "support/catch2.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::trained_digits;

namespace {

struct one_stage
    : model<input<28, 28>,
            sequential<SimpleRNN<40, return_sequences<true>>, SimpleRNN<33>, Dense<10>>> {};

struct two_stages : model<input<28, 28>, pipeline<stage<SimpleRNN<40, return_sequences<true>>>,
                                                  stage<SimpleRNN<33>, Dense<10>>>> {};

template <typename Model, typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training : tests::digit_training<Model, adam, Schedule, Samples, MicroBatches, Replicas> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps, bool poison = true) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.002F}, threads, steps, poison);
}

}  // namespace

TEST_CASE("recurrent layers train on the rows of drawn digits") {
  const trained_digits found =
      train<training<one_stage, sequential_schedule, 16, 2>>(2, 2000, false);
  CHECK(found.losses.front() > 2.0F);
  CHECK(found.test_loss < 0.5);
  // The same with every compiler and on every processor with fused multiply-add.
  if constexpr (layout::native.fused_multiply_add) {
    CHECK(found.weights == 0x17ef'f9b3'f17a'900f);
  }
  std::printf("recurrent layers: loss %f after 1000 updates, weights %016llx\n", found.test_loss,
              static_cast<unsigned long long>(found.weights));
}

TEST_CASE("recurrent layers have the same bits under every schedule and on any workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 8>>(1, 32);
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
  const trained_digits expected = train<training<one_stage, sequential_schedule, 16, 2>>(1, 8);
  CHECK(train<training<one_stage, sequential_schedule, 4, 8>>(1, 32).weights == expected.weights);
}

TEST_CASE("recurrent layers of replicas have the same bits on any number of workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 4, 2>>(1, 32);
  CHECK(train<training<one_stage, sequential_schedule, 8, 4, 2>>(4, 32) == expected);
}
