// SPDX-License-Identifier: MIT
// Layers at every step of a sequence: their gradients, and the numbers and bits of the same layers
// on an image of which a row is a step.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/one_step.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/gradient_check.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using reference::activation;
using reference::convolve;
using reference::dense;
using reference::function;
using tests::trained_digits;

namespace {

template <typename Model>
struct step_of : compile<Model, micro_batch<3>, gradient_accumulation<2>,
                         loss<sparse_categorical_crossentropy>> {};

/// Of a model that is a layer of another, at every step.
struct encoder : model<input<4, 4>, sequential<Flatten, Dense<5, softplus>>> {};

/// A convolution of steps, and of single channels of an image at every step.
struct at_steps
    : model<input<3, 6, 2>,
            sequential<TimeDistributed<Conv1D<4, 3, hyperbolic_tangent>>, TimeDistributed<encoder>,
                       residual<TimeDistributed<
                           sequential<Reshape<5, 1>, Conv1D<1, 3, same_padding>, Flatten>>>,
                       Flatten, Dense<3>>> {};

/// What stands at every step of digits that are cut into four stripes.
using striped = Reshape<4, 7, 28>;
using first_half = stage<striped, TimeDistributed<Conv1D<6, 3, relu>>,
                         TimeDistributed<sequential<BatchNormalization<>, Dropout<0.25F>>>,
                         TimeDistributed<concat<MaxPooling1D<2>, MaxPooling1D<2>>>>;
using second_half =
    stage<TimeDistributed<sequential<SpatialDropout1D<0.25F>, LSTM<5>>>, GRU<6>, Dense<10>>;

struct two_stages : model<input<28, 28>, pipeline<first_half, second_half>> {};

template <typename Schedule, int Samples, int MicroBatches, int Replicas = 1>
struct training
    : tests::digit_training<two_stages, sgd<momentum>, Schedule, Samples, MicroBatches, Replicas> {
};

/// Without statistics of micro-batches, which are others where these are smaller; of steps that are
/// whole vectors, and stay where they lie.
struct without_statistics
    : model<input<28, 28>,
            sequential<Reshape<7, 4, 28>,
                       TimeDistributed<sequential<Conv1D<6, 3, relu>, Dropout<0.25F>, Flatten>>,
                       GRU<6>, Dense<10>>> {};

template <int Samples, int MicroBatches>
struct plain_training : tests::digit_training<without_statistics, sgd<momentum>,
                                              sequential_schedule, Samples, MicroBatches> {};

/// The same numbers twice: at every step, and in the rows of an image.
template <typename... Layers>
struct of_steps : model<input<28, 28>, sequential<Reshape<4, 7, 28>, Layers..., Dense<10>>> {};

using at_each_step = of_steps<
    TimeDistributed<sequential<named<"seen", Conv1D<5, 3>>, BatchNormalization<>, Dropout<0.25F>>>,
    Flatten>;
using in_rows = of_steps<named<"seen", Conv2D<5, kernel_size{1, 3}>>, BatchNormalization<>,
                         Dropout<0.25F>, Flatten>;

template <typename Model>
struct training_of : tests::digit_training<Model, sgd<momentum>, sequential_schedule, 8, 4> {};

/// Bytes that are scaled at every step.
struct of_bytes
    : model<input<dtype::uint8, 28, 28>,
            sequential<Reshape<7, 4, 28>,
                       TimeDistributed<sequential<Rescaling<1.0F>, Conv1D<6, 3, relu>, Flatten>>,
                       GRU<6>, Dense<10>>> {};

/// Products, windows, statistics, what is drawn and what is carried along a step.
struct of_all_kinds
    : model<input<2, 5, 3>,
            pipeline<stage<TimeDistributed<Conv1D<4, 2, relu>>,
                           TimeDistributed<sequential<Conv1D<3, 2>, BatchNormalization<>,
                                                      SpatialDropout1D<0.25F>>>>,
                     stage<TimeDistributed<residual<SimpleRNN<3, return_sequences<true>>>>,
                           TimeDistributed<sequential<Flatten, Dense<5, softmax>>>, Flatten,
                           Dense<3>>>> {};

struct tiled : compile<of_all_kinds, micro_batch<5>, gradient_accumulation<2>,
                       loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.05F, .momentum = 0.9F}, threads,
                                          steps);
}

}  // namespace

TEST_CASE("gradients of layers at every step") {
  tests::check_gradients<step_of<at_steps>>(
      {.name = "Conv1D, a model and a residual at every step",
       .network = {convolve({3, 6, 2, 4, 1, 3}), function(activation::tanh),
                   convolve({3, 1, 16, 5, 1, 1}), function(activation::softplus),
                   reference::residual_of({convolve({3, 5, 1, 1, 1, 3, 1, true})}),
                   dense(3 * 5, 3)},
       .inputs = 3 * 6 * 2,
       .classes = 3,
       .micro_batch = 3,
       .accumulated = 2});
}

TEST_CASE("layers at every step have the bits of those on an image of which a row is a step") {
  const trained_digits expected = train<training_of<in_rows>>(1, 16);
  REQUIRE(expected.losses.size() == 16);
  CHECK(expected.losses.front() != expected.losses.back());
  const trained_digits stepped = train<training_of<at_each_step>>(2, 16);
  CHECK(stepped.losses == expected.losses);
  CHECK(stepped.test_loss == expected.test_loss);
}

TEST_CASE("layers at every step have the same bits under schedules and on workers") {
  const trained_digits expected = train<training<sequential_schedule, 8, 4>>(1, 16);
  REQUIRE(expected.losses.size() == 16);
  CHECK(expected.losses.front() != expected.losses.back());
  CHECK(train<training<sequential_schedule, 8, 4>>(3, 16) == expected);
  CHECK(train<training<grouped, 8, 4>>(2, 16) == expected);
  CHECK(train<training<sequential_schedule, 8, 2, 2>>(1, 16) ==
        train<training<sequential_schedule, 8, 2, 2>>(3, 16));
}

TEST_CASE("layers at every step have the same weights however a batch is cut") {
  const trained_digits expected = train<plain_training<8, 4>>(1, 16);
  REQUIRE(expected.losses.size() == 16);
  CHECK(train<plain_training<2, 16>>(2, 64).weights == expected.weights);
}

TEST_CASE("single samples of layers at every step are predicted as batches are") {
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

TEST_CASE(
    "steps that are pushed through layers at every step have the bits of the whole sequence") {
  constexpr std::size_t steps = 7;
  constexpr std::size_t elements = 4 * 28;

  struct steps_of
      : model<input<7, 4, 28>,
              sequential<TimeDistributed<Conv1D<6, 3, relu>>, TimeDistributed<LSTM<5>>, GRU<6>>> {};

  weights_of<steps_of> whole;
  whole.initialize(3);
  weights_of<one_step<steps_of>> weights;
  weights.copy_from(whole);
  const std::vector<float> given = reference::numbers(steps * elements, 3, 1.0F);
  std::vector<float> expected(6);
  predictor<steps_of> at_once(whole);
  REQUIRE(at_once.predict(given, expected));
  predictor<one_step<steps_of>> stream(weights);
  std::vector<float> last;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto found = stream.push(std::span(given).subspan(i * elements).first<elements>());
    last.assign(found.begin(), found.end());
  }
  CHECK(last == expected);
}

TEST_CASE("bytes at every step are the numbers that they stand for") {
  weights_of<of_bytes> of_whole_numbers;
  of_whole_numbers.initialize(5);
  weights_of<without_statistics> of_floats;
  of_floats.initialize(9);
  REQUIRE(of_floats.size() == of_whole_numbers.size());
  for (std::size_t i = 0; i < of_floats.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(of_floats.at(i).extents.elements()));
    of_whole_numbers.get(i, values);
    of_floats.set(i, values);
  }
  std::vector<std::uint8_t> bytes;
  std::vector<float> floats;
  for (std::size_t i = 0; i < 28 * 28; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i * 7 % 13));
    floats.push_back(static_cast<float>(bytes.back()));
  }
  std::vector<float> of_bytes_made(10);
  std::vector<float> of_floats_made(10);
  predictor<of_bytes> reads_bytes(of_whole_numbers);
  predictor<without_statistics> reads_floats(of_floats);
  REQUIRE(reads_bytes.predict(bytes, of_bytes_made));
  REQUIRE(reads_floats.predict(floats, of_floats_made));
  CHECK(of_bytes_made == of_floats_made);
  CHECK(of_bytes_made.front() != of_bytes_made.back());
}

TEST_CASE("blocks of layers at every step have the bits of the session") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 16, 1472}) {
    INFO(tiles << " tiles");
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check found =
        check_tiles<tiled>(target, {.updates = 2, .most_blocks = 5}, {.learning_rate = 0.05F});
    CHECK(found.fault == "");
    CHECK(found.count.calls > 0);
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers at every step\n", static_cast<long long>(blocks));
}
