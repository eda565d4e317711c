// SPDX-License-Identifier: MIT
// Convolutions of every kind: the same bits under every schedule, on any number of workers, with
// replicas, and however a batch is cut into micro-batches; single samples predicted as batches.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::trained_digits;

namespace {

using first_half = stage<Conv1D<6, 5, causal_padding, dilation_rate<2>, relu>,
                         Conv1D<8, 3, strides<2>, same_padding>, Reshape<7, 4, 2, 2>,
                         Conv3D<4, kernel_volume{3, 2, 1}, same_padding, relu>, Reshape<14, 4, 4>>;
using second_half = stage<DepthwiseConv2D<3, same_padding, depth_multiplier<3>, relu>,
                          Conv2D<12, 3, same_padding, groups<3>, relu>,
                          Conv2D<4, 3, dilation_rate<2>, same_padding, groups<2>>,
                          SeparableConv2D<5, 3, strides<2>, same_padding, hyperbolic_tangent>,
                          Conv2DTranspose<3, 3, strides<2, 1>, same_padding, relu>, Reshape<28, 3>,
                          Conv1DTranspose<2, 2, strides<2>, sigmoid>,
                          LocallyConnected1D<3, 4, strides<3>, relu>, Flatten, Dense<10>>;

struct two_stages : model<input<28, 28>, pipeline<first_half, second_half>> {};

template <typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training
    : tests::digit_training<two_stages, sgd<momentum>, Schedule, Samples, MicroBatches, Replicas> {
};

template <typename... Layers>
struct one_channel_each
    : model<input<28, 28>, sequential<Reshape<28, 28, 1>, Conv2D<6, 3, strides<2>>, Layers...,
                                      Flatten, Dense<10>>> {};

/// The weights behind some steps, which begin with numbers of their own.
template <typename Schedule, int Samples, typename... Layers>
std::vector<std::vector<float>> train_one_channel_each(int threads = 1) {
  session<tests::digit_training<one_channel_each<Layers...>, sgd<momentum>, Schedule, Samples, 2>>
      run({.learning_rate = 0.05F, .momentum = 0.9F}, {.threads = threads, .shared_from = 0});
  std::vector<std::vector<float>> values;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto elements = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    values.push_back(reference::numbers(elements, static_cast<std::uint32_t>(i) + 1, 0.2F));
    run.weights().set(i, values.back());
  }
  auto feed = make_feed(tests::digits() | repeated(), 3);
  run.fit(feed, {.steps_per_epoch = 6});
  for (std::size_t i = 0; i < values.size(); ++i) {
    run.weights().get(i, values[i]);
  }
  return values;
}

/// Groups of so many channels that a weight gradient copies them, and updates kernels of which a
/// panel holds parts of two groups.
struct copied_groups
    : model<input<28, 28>,
            sequential<Reshape<28, 28, 1>, Conv2D<128, 5, strides<4>, relu>,
                       Conv2D<128, 3, groups<4>, same_padding, relu>, Flatten, Dense<10>>> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.05F, .momentum = 0.9F}, threads,
                                          steps);
}

}  // namespace

TEST_CASE("convolutions of every kind have the same bits under schedules and on workers") {
  const trained_digits expected = train<training<sequential_schedule, 8, 4>>(1, 16);
  REQUIRE(expected.losses.size() == 16);
  CHECK(expected.losses.front() != expected.losses.back());
  CHECK(train<training<sequential_schedule, 8, 4>>(3, 16) == expected);
  CHECK(train<training<grouped, 8, 4>>(2, 16) == expected);
  // Of replicas the sums have an order of their own, and of micro-batches of two the losses.
  CHECK(train<training<sequential_schedule, 2, 16>>(2, 64).weights == expected.weights);
  CHECK(train<training<sequential_schedule, 8, 2, 2>>(1, 16) ==
        train<training<sequential_schedule, 8, 2, 2>>(3, 16));
}

TEST_CASE("groups that are copied have the same bits on any workers, and however a batch is cut") {
  using halves = tests::digit_training<copied_groups, sgd<momentum>, sequential_schedule, 4, 2>;
  const trained_digits expected = train<halves>(1, 4);
  CHECK(expected.losses.front() != expected.losses.back());
  CHECK(train<halves>(3, 4) == expected);
  using quarters = tests::digit_training<copied_groups, sgd<momentum>, sequential_schedule, 2, 4>;
  CHECK(train<quarters>(2, 8).weights == expected.weights);
}

TEST_CASE("a convolution of as many groups as channels trains as a depthwise one") {
  // Their kernels lie in panels, which are updated as they are summed up, and plain.
  const auto groups_of_one =
      train_one_channel_each<sequential_schedule, 4, Conv2D<6, 3, groups<6>, same_padding>>();
  const auto depthwise =
      train_one_channel_each<sequential_schedule, 4, DepthwiseConv2D<3, same_padding>>();
  CHECK(groups_of_one == depthwise);
  REQUIRE(depthwise.size() == 6);
  CHECK(depthwise[3] != reference::numbers(depthwise[3].size(), 4, 0.2F));
}

TEST_CASE("a separable convolution trains as its two convolutions do") {
  // So many samples that one call makes both, and so few that each has a call of its own.
  const auto check = []<int Samples>(std::integral_constant<int, Samples>) {
    using two = DepthwiseConv2D<3, same_padding, use_bias<false>>;
    const auto apart =
        train_one_channel_each<sequential_schedule, Samples, two, Conv2D<5, 1, relu>>();
    using one = SeparableConv2D<5, 3, same_padding, relu>;
    CHECK(train_one_channel_each<sequential_schedule, Samples, one>() == apart);
    CHECK(train_one_channel_each<sequential_schedule, Samples, one>(3) == apart);
    REQUIRE(apart.size() == 7);
    CHECK(apart[2] != reference::numbers(apart[2].size(), 3, 0.2F));
  };
  check(std::integral_constant<int, 16>());
  check(std::integral_constant<int, 2>());
}

TEST_CASE("single samples of convolutions of every kind are predicted as batches are") {
  constexpr std::size_t samples = 5;

  struct predicting : compile<two_stages, micro_batch<samples>> {};

  const session<predicting> started;
  weights_of<two_stages> weights;
  weights.copy_from(started.weights());
  const std::vector<float> features = reference::numbers(samples * 28 * 28, 3, 1.0F);
  std::vector<float> together(samples * 10);
  std::vector<float> alone(samples * 10);
  predictor<two_stages, micro_batch<samples>> all(weights);
  predictor<two_stages, micro_batch<1>> one(weights);
  CHECK(all.predict(features, together));
  for (std::size_t i = 0; i < samples; ++i) {
    CHECK(one.predict(std::span(features).subspan(i * 28 * 28, 28 * 28),
                      std::span(alone).subspan(i * 10, 10)));
  }
  CHECK(alone == together);
  CHECK(std::any_of(alone.begin(), alone.end(), [](float score) { return score != 0.0F; }));
}
