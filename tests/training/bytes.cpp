// SPDX-License-Identifier: MIT
// Inputs of uint8: bytes in data and feed, numbers on the device, with the bits of floats that were
// scaled beforehand, however they are cut and shared.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;

constexpr float scale = 1.0F / 255;

struct of_bytes
    : model<input<dtype::uint8, 4, 5>,
            pipeline<stage<Rescaling<1.0F / 255>, Flatten, Dense<9, relu>>, stage<Dense<3>>>> {};

/// The same of floats that were scaled beforehand.
struct of_floats : model<input<4, 5>, pipeline<stage<Flatten, Dense<9, relu>>, stage<Dense<3>>>> {};

/// Views of bytes; a convolution that reads what was scaled; numbers that are scaled on the way.
struct images : model<input<dtype::uint8, 20>,
                      sequential<Reshape<4, 5, 1>, Rescaling<2.0F / 255, -1>, Conv2D<2, 2>,
                                 Rescaling<0.5F, 0.25F>, Flatten, Dense<3>>> {};

/// Bytes that the second stage reads first, beside floats.
struct beside_floats {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor numbers = build.input("numbers", {6});
    const symbolic_tensor image = build.input("image", {20}, dtype::uint8);
    const symbolic_tensor hidden = build.layer<Dense<5, relu>>("hidden", numbers);
    build.stage(1);
    const symbolic_tensor grey = build.layer<Rescaling<1.0F / 255>>("grey", image);
    return build.layer<Dense<3>>("kind", build.layer<Concatenate>("", hidden, grey));
  }
};

template <typename Model, typename Schedule = sequential_schedule, int Replicas = 1>
struct trained
    : compile<Model, Schedule, micro_batch<4>, gradient_accumulation<4>, replicas<Replicas>,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

constexpr std::size_t samples = 64;

std::vector<std::uint8_t> drawn_bytes() {
  std::vector<std::uint8_t> made(samples * 20);
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = static_cast<std::uint8_t>(random_word(3, 0, i));
  }
  return made;
}

std::vector<std::int32_t> labels() {
  return reference::labels(samples, 5, 3);
}

std::vector<float> scaled(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> made;
  for (const std::uint8_t byte : bytes) {
    made.push_back(static_cast<float>(byte) * scale);
  }
  return made;
}

template <typename Compiled, typename Data>
std::uint64_t weights_after(const Data& data, int threads) {
  session<Compiled> run({.learning_rate = 0.1F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  run.fit(data | shuffled(50) | repeated(), {.epochs = 2, .steps_per_epoch = 8});
  return run.weights().fingerprint();
}

template <typename Compiled>
std::int64_t check_blocks() {
  machine_target machine = ipu2;
  machine.tiles = 16;
  const tile_check found = check_tiles<Compiled>(machine, {.updates = 2, .most_blocks = 8});
  INFO(found.fault);
  CHECK(found.passed());
  return found.count.blocks;
}

/// The buffer that the feed fills, among those of a program.
template <typename Compiled>
std::int64_t bytes_of_input() {
  using compiled = typename Compiled::compiled;
  const graph_view model = planned_graph_of<compiled>.view();
  for (const buffer& each : lowered_of<compiled, program_kind::train>.view().buffers) {
    if (each.role == buffer_role::value && each.tensor == model.find(tensor_role::input)) {
      return bytes_of(each, 4);
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("bytes have the bits of floats that were scaled beforehand") {
  const labelled_dataset<shape{4, 5}, 3> bytes(drawn_bytes(), labels());
  const labelled_dataset<shape{4, 5}, 3, float> floats(scaled(drawn_bytes()), labels());
  const auto as_kept = as_bytes(bytes);
  const auto expected = weights_after<trained<of_floats>>(floats, 1);
  const auto replicated = weights_after<trained<of_floats, sequential_schedule, 2>>(floats, 1);
  int agreed = 0;
  for (const int threads : {1, 2, 3}) {
    CHECK(weights_after<trained<of_bytes>>(as_kept, threads) == expected);
    CHECK(weights_after<trained<of_bytes, grouped>>(as_kept, threads) == expected);
    CHECK(weights_after<trained<of_bytes, interleaved>>(as_kept, threads) == expected);
    CHECK(weights_after<trained<of_bytes, interleaved, 2>>(as_kept, threads) == replicated);
    agreed += 4;
  }
  CHECK(agreed == 12);
  std::printf("bytes: %d trainings agree\n", agreed);
}

namespace {

/// Numbers that are scaled on their way, whose gradient goes back through it.
struct scaled_within
    : model<input<3>, sequential<Dense<4, hyperbolic_tangent>, Rescaling<0.5F, 0.25F>, Dense<1>>> {
};

struct trained_within : compile<scaled_within, micro_batch<4>, gradient_accumulation<2>,
                                loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

double loss_within(const reference::weight_list& weights, const std::vector<float>& x,
                   const std::vector<float>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<double> hidden =
        reference::tanh_of(reference::dense_of(weights, 0, reference::row_of(x, i, 3)));
    for (double& each : hidden) {
      each = 0.5 * each + 0.25;
    }
    const double error = reference::dense_of(weights, 1, hidden)[0] - static_cast<double>(y[i]);
    sum += error * error;
  }
  return sum / 4;
}

}  // namespace

TEST_CASE("the gradient of what is scaled on its way is that of float64") {
  const std::vector<float> x = reference::numbers(8 * 3, 21, 1.0F);
  const std::vector<float> y = reference::numbers(8, 22, 1.0F);
  session<trained_within> run({.learning_rate = 0.05F, .momentum = 0.9F});
  reference::weight_list weights = reference::weights_of_session(run.weights());
  reference::weight_list velocities = reference::zeros_like(weights);
  int compared = 0;
  for (int update = 0; update < 12; ++update) {
    reference::descend(weights, velocities, 0.05, 0.9, [&](const reference::weight_list& probe) {
      return loss_within(probe, x, y);
    });
    run.train_step(x, y);
    const reference::weight_list found = reference::weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == 12 * (3 * 4 + 4 + 4 + 1));
}

TEST_CASE("a feed fills a quarter of the memory with bytes") {
  CHECK(bytes_of_input<trained<of_bytes>>() == 128);  // 4 x 20 bytes, in whole cache lines
  CHECK(bytes_of_input<trained<of_floats>>() >= 4 * 20 * 4);
}

TEST_CASE("bytes in arrays, beside floats, are predicted as a predictor does") {
  const std::vector<float> numbers = reference::numbers(samples * 6, 7, 1.0F);
  const std::vector<std::uint8_t> bytes = drawn_bytes();
  session<trained<beside_floats, grouped>> run({.learning_rate = 0.1F});
  const auto data = zipped(feature_column<shape{6}>(numbers), byte_column<shape{20}>(bytes),
                           label_column<3>(labels()));
  run.fit(data | repeated(), {.steps_per_epoch = 8});
  CHECK(run.evaluate(data).samples == samples);
  const std::vector<std::int32_t> kinds = labels();
  const double stepped = run.train_step(
      input_arrays{std::span(numbers).first(16 * 6), std::span(bytes).first(16 * 20)},
      target_arrays{std::span(kinds).first(16)});
  CHECK(stepped < 2);
  std::vector<float> expected(samples * 3);
  run.predict(input_arrays{numbers, bytes}, output_arrays{expected});
  weights_of<beside_floats> weights;
  weights.copy_from(run.weights());
  predictor<beside_floats, micro_batch<64>> all(weights);
  std::vector<float> found(expected.size());
  CHECK(all.predict(input_arrays{numbers, bytes}, output_arrays{found}));
  CHECK(found == expected);
}

TEST_CASE("bytes alone are predicted, one by one as well") {
  const std::vector<std::uint8_t> bytes = drawn_bytes();
  session<trained<of_bytes>> run({.learning_rate = 0.1F});
  std::vector<float> expected(samples * 3);
  run.predict(bytes, expected);
  weights_of<of_bytes> weights;
  weights.copy_from(run.weights());
  predictor<of_bytes> stream(weights);
  std::array<float, 3> one{};
  CHECK(stream.predict(std::span(bytes).first(20), one));
  int compared = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto found = stream.push(std::span(bytes).subspan(20 * i, 20));
    CHECK(std::equal(found.begin(), found.end(), expected.data() + 3 * i));
    ++compared;
  }
  CHECK(compared == 64);
  CHECK(std::equal(one.begin(), one.end(), expected.begin()));
}

TEST_CASE("bytes, block by block") {
  const std::int64_t blocks = check_blocks<trained<of_bytes, grouped>>() +
                              check_blocks<trained<images>>() +
                              check_blocks<trained<beside_floats, grouped>>();
  CHECK(blocks > 0);
  std::printf("bytes: %d blocks\n", static_cast<int>(blocks));
}

TEST_CASE("a feed of floats for bytes is refused") {
  session<trained<of_bytes>> run({.learning_rate = 0.1F});
  const labelled_dataset<shape{4, 5}, 3, float> floats(scaled(drawn_bytes()), labels());
  auto feed = make_feed(floats, 1);
  CHECK_THROWS_WITH(run.evaluate(feed), "The model's input is uint8, the data's is float32.");
}
