// SPDX-License-Identifier: MIT
// Pooling in models: LeNet-5 learns drawn digits, with the same bits under every schedule, on any
// number of workers, and however a batch is cut into micro-batches.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::trained_digits;

namespace {

/// LeCun et al. 1998, with what is usual now: relu, the largest of each window.
struct lenet
    : model<input<28, 28>, sequential<Reshape<28, 28, 1>, Conv2D<6, 5, same_padding, relu>,
                                      MaxPooling2D<>, Conv2D<16, 5, relu>, MaxPooling2D<>, Flatten,
                                      Dense<120, relu>, Dense<84, relu>, Dense<10>>> {};

/// Windows over each other, beyond the image, of means, of everything.
struct one_stage
    : model<input<28, 28>,
            sequential<Reshape<28, 28, 1>, Conv2D<6, 5, strides<2>, relu>, AveragePooling2D<2>,
                       Conv2D<16, 3, same_padding, relu>, MaxPooling2D<3, strides<2>, same_padding>,
                       Reshape<9, 16>, MaxPooling1D<2, strides<1>>, AveragePooling1D<2>,
                       Reshape<2, 2, 16>, GlobalAveragePooling2D, Dense<10>>> {};

struct two_stages
    : model<input<28, 28>,
            pipeline<
                stage<Reshape<28, 28, 1>, Conv2D<6, 5, strides<2>, relu>, AveragePooling2D<2>>,
                stage<Conv2D<16, 3, same_padding, relu>, MaxPooling2D<3, strides<2>, same_padding>,
                      Reshape<9, 16>, MaxPooling1D<2, strides<1>>, AveragePooling1D<2>,
                      Reshape<2, 2, 16>, GlobalAveragePooling2D, Dense<10>>>> {};

/// Pooling puts its gradients through the activations of convolutions.
struct put_through
    : model<input<28, 28>,
            pipeline<
                stage<Reshape<28, 28, 1>, Conv2D<6, 5, strides<2>, hyperbolic_tangent>>,
                stage<MaxPooling2D<2>, Conv2D<10, 2, relu>, AveragePooling2D<pool_size{1, 5}>>,
                stage<Reshape<5, 10>, Conv1D<4, 1, selu>, MaxPooling1D<5>, Flatten, Dense<10>>>> {};

/// Activations are layers of their own, which do that themselves.
struct by_layers
    : model<input<28, 28>,
            pipeline<
                stage<Reshape<28, 28, 1>, Conv2D<6, 5, strides<2>>, hyperbolic_tangent>,
                stage<MaxPooling2D<2>, Conv2D<10, 2>, relu, AveragePooling2D<pool_size{1, 5}>>,
                stage<Reshape<5, 10>, Conv1D<4, 1>, selu, MaxPooling1D<5>, Flatten, Dense<10>>>> {};

template <typename Model, typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training
    : tests::digit_training<Model, sgd<momentum>, Schedule, Samples, MicroBatches, Replicas> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps, bool poison = true) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.05F, .momentum = 0.9F}, threads,
                                          steps, poison);
}

}  // namespace

TEST_CASE("LeNet-5 learns drawn digits") {
  const trained_digits found = train<training<lenet, sequential_schedule, 16, 4>>(2, 640, false);
  CHECK(found.losses.front() > 2.0F);
  CHECK(found.test_loss < 0.2);
  std::printf("LeNet-5: loss %f after 160 updates\n", found.test_loss);
}

TEST_CASE("pooling has the same bits under every schedule and on any number of workers") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 8, 8>>(1, 32);
  REQUIRE(expected.losses.size() == 32);
  CHECK(train<training<one_stage, sequential_schedule, 8, 8>>(3, 32) == expected);
  CHECK(train<training<two_stages, grouped, 8, 8>>(2, 32) == expected);
  CHECK(train<training<two_stages, interleaved, 8, 8>>(3, 32) == expected);
}

TEST_CASE("gradients that pooling puts through activations have the bits of those of layers") {
  const trained_digits expected = train<training<by_layers, interleaved, 4, 6>>(1, 36);
  REQUIRE(expected.losses.size() == 36);
  CHECK(train<training<put_through, interleaved, 4, 6>>(1, 36) == expected);
  CHECK(train<training<put_through, grouped, 4, 6>>(3, 36) == expected);
  CHECK(train<training<put_through, zb_h1, 4, 6>>(2, 36) == expected);
  CHECK(train<training<put_through, sequential_schedule, 4, 3, 2>>(2, 36).weights ==
        train<training<by_layers, sequential_schedule, 4, 3, 2>>(1, 36).weights);
}

TEST_CASE("the size of a micro-batch does not change the weights around pooling") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 32, 2>>(1, 8);
  CHECK(train<training<one_stage, sequential_schedule, 8, 8>>(1, 32).weights == expected.weights);
  CHECK(train<training<one_stage, sequential_schedule, 2, 32>>(1, 128).weights == expected.weights);
}
