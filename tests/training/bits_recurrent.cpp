// SPDX-License-Identifier: MIT
// Recurrent layers with gates: training on the rows of drawn digits has the same bits under every
// schedule, on any number of workers, which share every step, and for any size of a micro-batch.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::trained_digits;

namespace {

/// No dense layer, whose single samples have gradients of another order.
struct one_stage
    : model<input<28, 28>,
            sequential<LSTM<18, return_sequences<true>>,
                       GRU<17, return_sequences<true>, reset_after<false>>,
                       GRU<16, return_sequences<true>>, LSTM<10, go_backwards<true>>>> {};

struct two_stages
    : model<input<28, 28>,
            pipeline<stage<LSTM<18, return_sequences<true>>,
                           GRU<17, return_sequences<true>, reset_after<false>>>,
                     stage<GRU<16, return_sequences<true>>, LSTM<10, go_backwards<true>>>>> {};

template <typename Model, typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training : tests::digit_training<Model, adam, Schedule, Samples, MicroBatches, Replicas> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.004F}, threads, steps);
}

}  // namespace

TEST_CASE("layers with gates have the same bits under every schedule and on any workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 4>>(1, 160);
  REQUIRE(expected.losses.size() == 160);
  CHECK(expected.losses.back() < expected.losses.front());
  // The same with every compiler and on every processor with fused multiply-add.
  if constexpr (layout::native.fused_multiply_add) {
    CHECK(expected.weights == 0xeb87'207a'c2b0'04e6);
  }
  CHECK(train<training<one_stage, sequential_schedule, 8, 4>>(3, 160) == expected);
  CHECK(train<training<two_stages, grouped, 8, 4>>(2, 160) == expected);
  CHECK(train<training<two_stages, grouped, 8, 4>>(4, 160) == expected);
  // Single samples, whose products take another way.
  CHECK(train<training<one_stage, sequential_schedule, 1, 32>>(2, 160 * 8).weights ==
        expected.weights);
  std::printf("layers with gates: loss %f after 40 updates, weights %016llx\n", expected.test_loss,
              static_cast<unsigned long long>(expected.weights));
}

TEST_CASE("layers with gates of replicas have the same bits on any number of workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 4, 2>>(1, 32);
  CHECK(train<training<one_stage, sequential_schedule, 8, 4, 2>>(4, 32) == expected);
}
