// SPDX-License-Identifier: MIT
// Residuals and activations that hand their gradients on without a call: the same bits wherever
// stages are cut, where some of them have to write.
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::trained_digits;

namespace {

using first = sequential<Reshape<28, 28, 1>, Conv2D<8, 3, strides<3>>, BatchNormalization<>>;
using wide = Conv2D<8, 3, same_padding>;
/// With layers behind each activation that one convolution reads.
template <typename... Behind>
using block = residual<wide, BatchNormalization<>, relu, Behind...,
                       Conv2D<12, 3, same_padding, relu>, Behind..., wide, BatchNormalization<>>;
using towers = residual<residual<Conv2D<8, 3, same_padding, sigmoid>, relu6>>;
using last = sequential<concat<MaxPooling2D<3>, AveragePooling2D<3>>, Flatten, Dense<10>>;

/// Activations that two read, one that a sum reads, a sum of sums, an activation of no sum.
struct one_stage
    : model<input<28, 28>, sequential<first, relu, block<>, relu, towers, sigmoid, linear, last>> {
};

/// One layer that computes nothing reads each activation, so that none is put through elsewhere.
struct read_once : model<input<28, 28>, sequential<first, relu, linear, block<linear>, relu, linear,
                                                   towers, sigmoid, linear, last>> {};

/// Both that read an activation are behind the cut, and the sum of one block.
struct behind_activations : model<input<28, 28>, pipeline<stage<first, relu>, stage<block<>, relu>,
                                                          stage<towers, sigmoid, linear, last>>> {};

/// Activations begin a stage.
struct before_activations
    : model<input<28, 28>, pipeline<stage<first>, stage<relu, block<>>, stage<relu, towers>,
                                    stage<sigmoid>, stage<linear, last>>> {};

/// What several of those read that could put a gradient through, or could not: it goes through
/// once.
template <typename... Behind>
using branches_of_all = sequential<
    Behind...,
    concat<MaxPooling2D<3, strides<1>, same_padding>, AveragePooling2D<2, strides<1>, same_padding>,
           Conv2D<3, 3, same_padding>, residual<DepthwiseConv2D<3, same_padding>>>,
    Conv2D<8, 2, hyperbolic_tangent>, Behind...,
    concat<MaxPooling2D<2>, AveragePooling2D<2>, Conv2D<4, 2, strides<2>>>>;

template <typename... Behind>
struct read_by_all
    : model<input<28, 28>, sequential<Reshape<28, 28, 1>, Conv2D<6, 4, strides<3>, sigmoid>,
                                      branches_of_all<Behind...>, Flatten, Dense<10>>> {};

template <typename Model, typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training
    : tests::digit_training<Model, sgd<momentum>, Schedule, Samples, MicroBatches, Replicas> {};

template <typename Compiled>
trained_digits train(int threads) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.05F, .momentum = 0.9F}, threads, 120);
}

}  // namespace

TEST_CASE("gradients that are handed on have the bits of those that are written") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 4, 30>>(1);
  REQUIRE(expected.losses.size() == 120);
  CHECK(expected.losses.back() < expected.losses.front());
  CHECK(train<training<read_once, sequential_schedule, 4, 30>>(1) == expected);
  CHECK(train<training<one_stage, sequential_schedule, 4, 30>>(2) == expected);
  CHECK(train<training<behind_activations, grouped, 4, 30>>(3) == expected);
  CHECK(train<training<behind_activations, interleaved, 4, 30>>(2) == expected);
  CHECK(train<training<behind_activations, zb_h1, 4, 30>>(3) == expected);
  CHECK(train<training<before_activations, interleaved, 4, 30>>(2) == expected);
  CHECK(train<training<before_activations, sequential_schedule, 4, 30>>(1) == expected);
}

TEST_CASE("replicas hand gradients on as well") {
  const trained_digits expected = train<training<one_stage, sequential_schedule, 4, 15, 2>>(1);
  CHECK(train<training<behind_activations, sequential_schedule, 4, 15, 2>>(2) == expected);
}

TEST_CASE("gradients of what several read go through its activation once") {
  const trained_digits expected =
      train<training<read_by_all<linear>, sequential_schedule, 4, 30>>(1);
  REQUIRE(expected.losses.size() == 120);
  CHECK(train<training<read_by_all<>, sequential_schedule, 4, 30>>(2) == expected);
}
