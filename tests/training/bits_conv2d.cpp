// SPDX-License-Identifier: MIT
// Convolutions: training on drawn digits learns, and has the same bits under every schedule, on any
// number of workers, and however a batch is cut into micro-batches.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::trained_digits;

namespace {

/// Pixels in rows, in positions, and in what is both; a dropout and a sum on positions.
struct one_stage
    : model<input<28, 28>,
            sequential<Reshape<28, 28, 1>, Conv2D<6, 5, strides<2>, relu>, Dropout<0.1F>,
                       residual<Conv2D<6, 3, same_padding, hyperbolic_tangent>>,
                       Conv2D<16, 3, strides<2>, same_padding, relu>, Flatten, Dense<10>>> {};

struct two_stages
    : model<input<28, 28>,
            pipeline<stage<Reshape<28, 28, 1>, Conv2D<6, 5, strides<2>, relu>, Dropout<0.1F>>,
                     stage<residual<Conv2D<6, 3, same_padding, hyperbolic_tangent>>,
                           Conv2D<16, 3, strides<2>, same_padding, relu>, Flatten, Dense<10>>>> {};

template <typename Model, typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training
    : tests::digit_training<Model, sgd<momentum>, Schedule, Samples, MicroBatches, Replicas> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps, bool poison = true) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.05F, .momentum = 0.9F}, threads,
                                          steps, poison);
}

}  // namespace

TEST_CASE("convolutions train on drawn digits") {
  const trained_digits found =
      train<training<one_stage, sequential_schedule, 16, 4>>(2, 640, false);
  CHECK(found.losses.front() > 2.0F);
  CHECK(found.test_loss < 0.3);
  // The same with every compiler and on every processor with fused multiply-add.
  if constexpr (layout::native.fused_multiply_add) {
    CHECK(found.weights == 0xf5bd'5a66'edea'a211);
  }
  std::printf("convolutions: loss %f after 160 updates, weights %016llx\n", found.test_loss,
              static_cast<unsigned long long>(found.weights));
}

TEST_CASE("convolutions have the same bits under every schedule and on any number of workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 8>>(1, 32);
  REQUIRE(expected.losses.size() == 32);
  int compared = 0;
  for (const int threads : {2, 3}) {
    CHECK(train<training<one_stage, sequential_schedule, 8, 8>>(threads, 32) == expected);
    CHECK(train<training<two_stages, grouped, 8, 8>>(threads, 32) == expected);
    CHECK(train<training<two_stages, interleaved, 8, 8>>(threads, 32) == expected);
    compared += 3;
  }
  CHECK(train<training<two_stages, grouped, 8, 8>>(1, 32) == expected);
  CHECK(compared == 6);
}

TEST_CASE("convolutions of replicas have the same bits on any number of workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 4, 2>>(1, 32);
  REQUIRE(expected.losses.size() == 32);
  CHECK(train<training<one_stage, sequential_schedule, 8, 4, 2>>(2, 32) == expected);
  CHECK(train<training<two_stages, grouped, 8, 4, 2>>(4, 32) == expected);
}

TEST_CASE("the size of a micro-batch does not change the weights of convolutions") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 32, 2>>(1, 8);
  CHECK(train<training<one_stage, sequential_schedule, 8, 8>>(1, 32).weights == expected.weights);
  CHECK(train<training<one_stage, sequential_schedule, 2, 32>>(1, 128).weights == expected.weights);
}

TEST_CASE("what a model of convolutions predicts from single samples is what it evaluates") {
  struct single : training<one_stage, sequential_schedule, 1, 4> {};

  const trained_digits alone = train<single>(1, 64);
  CHECK(alone == train<single>(2, 64));
}
