// SPDX-License-Identifier: MIT
// BatchNormalization trains as float64 says, over vectors and over rows of channels; its running
// statistics are the same bits on every schedule, and serve evaluation and prediction.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "training/batch_normalization_reference.hpp"

namespace {

using namespace ipu_dsl;
using tests::cross_entropy;
using tests::dense;
using tests::labelled_points;
using tests::matrix;
using tests::moments;
using tests::moments_of;
using tests::move;
using tests::normalize;
using tests::numbers;
using tests::point_set;
using tests::points_of;
using tests::temporary_directory;
using tests::weights_of_session;

constexpr std::size_t features = 8;
constexpr std::size_t units = 6;
constexpr std::size_t samples_of_micro_batch = 8;
constexpr std::size_t samples_of_update = 4 * samples_of_micro_batch;

/// Channels are the six units, then two of three positions each, without gamma and beta.
struct normalized
    : model<
          input<8>,
          pipeline<stage<Dense<6>, BatchNormalization<running_momentum<0.75F>>, hyperbolic_tangent>,
                   stage<Dense<6>, Reshape<3, 2>,
                         BatchNormalization<running_momentum<0.75F>, epsilon<0.01F>,
                                            use_scale<false>, use_center<false>>,
                         Flatten, Dense<3>>>> {};

/// The first layer has no input gradient; one has no gamma, one no beta.
struct first_normalized
    : model<input<8>, sequential<BatchNormalization<use_scale<false>>, Dense<6>,
                                 BatchNormalization<use_center<false>>, Dense<3>>> {};

/// Channels that fill no vector lie apart for a convolution, which reads and writes them so.
struct images
    : model<input<4, 4, 1>, sequential<Conv2D<5, 3, same_padding>, BatchNormalization<>, relu,
                                       Conv2D<3, 3>, BatchNormalization<>, Flatten, Dense<3>>> {};

template <typename Model, typename Schedule, typename Optimizer = sgd<>, int Replicas = 1>
struct trained
    : compile<Model, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>, Schedule,
              replicas<Replicas>, loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

/// What the forward pass of a micro-batch of `normalized` found: logits, and the moments of both
/// layers. With `running` statistics it is that of evaluation. Weights in order: kernel, bias,
/// gamma, beta, mean, variance, kernel, bias, mean, variance, kernel, bias.
struct pass {
  matrix logits;
  moments first;
  moments second;
};

pass forward(const std::vector<numbers>& weights, const matrix& points, bool running) {
  pass made;
  matrix x = dense(points, weights[0], weights[1]);
  made.first = running ? moments{weights[4], weights[5]} : moments_of(x, units);
  x = normalize(x, made.first, static_cast<double>(1e-3F));
  for (numbers& row : x) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = std::tanh(row[i] * weights[2][i] + weights[3][i]);
    }
  }
  x = dense(x, weights[6], weights[7]);
  made.second = running ? moments{weights[8], weights[9]} : moments_of(x, 2);
  x = normalize(x, made.second, static_cast<double>(0.01F));
  made.logits = dense(x, weights[10], weights[11]);
  return made;
}

/// The sum of the micro-batches' mean losses, in the statistics of each.
double loss_of_update(const std::vector<numbers>& weights, const point_set& data,
                      std::size_t update) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t first = update * samples_of_update + i * samples_of_micro_batch;
    const pass made = forward(weights, points_of(data, first, samples_of_micro_batch), false);
    for (std::size_t sample = 0; sample < samples_of_micro_batch; ++sample) {
      sum += cross_entropy(made.logits[sample], data.labels()[first + sample]);
    }
  }
  return sum / samples_of_micro_batch;
}

bool is_state(std::size_t weight) {
  return weight == 4 || weight == 5 || weight == 8 || weight == 9;
}

/// One step of SGD, its gradients by central differences in float64, and of the running statistics.
void descend(std::vector<numbers>& weights, const point_set& data, std::size_t update) {
  const std::vector<numbers> before = weights;
  std::vector<numbers> probe = weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t k = 0; k < weights[i].size() && !is_state(i); ++k) {
      constexpr double nudge = 1e-5;
      probe[i][k] = before[i][k] + nudge;
      const double above = loss_of_update(probe, data, update);
      probe[i][k] = before[i][k] - nudge;
      const double below = loss_of_update(probe, data, update);
      probe[i][k] = before[i][k];
      weights[i][k] -= 0.05 * (above - below) / (2 * nudge);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t first = update * samples_of_update + i * samples_of_micro_batch;
    const pass made = forward(before, points_of(data, first, samples_of_micro_batch), false);
    move(weights[4], made.first.mean);
    move(weights[5], made.first.variance);
    move(weights[8], made.second.mean);
    move(weights[9], made.second.variance);
  }
}

struct outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;
  double evaluated = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

/// The fingerprint is that of parameters and states.
template <typename Compiled>
outcome train(const point_set& data, int threads) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  const auto losses = run.fit(data | repeated(), {.steps_per_epoch = 80}).losses();
  return {run.weights().fingerprint(), {losses.begin(), losses.end()}, run.evaluate(data).loss};
}

template <typename Model, typename Optimizer, int Replicas>
int check_bits(const point_set& data) {
  const outcome expected = train<trained<Model, sequential_schedule, Optimizer, Replicas>>(data, 1);
  int agreed = 0;
  for (const int threads : {1, 2, 4}) {
    CHECK(train<trained<Model, sequential_schedule, Optimizer, Replicas>>(data, threads) ==
          expected);
    CHECK(train<trained<Model, grouped, Optimizer, Replicas>>(data, threads) == expected);
    CHECK(train<trained<Model, interleaved, Optimizer, Replicas>>(data, threads) == expected);
    agreed += 3;
  }
  return agreed;
}

}  // namespace

TEST_CASE("batch normalization trains as float64 says, and its statistics run with it") {
  constexpr std::size_t updates = 10;
  const point_set data = labelled_points(updates * samples_of_update, 5);
  session<trained<normalized, grouped>> run({.learning_rate = 0.05F});
  std::vector<numbers> weights = weights_of_session(run.weights());
  REQUIRE(weights.size() == 12);
  CHECK(weights[4] == numbers(units, 0));
  CHECK(weights[5] == numbers(units, 1));
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    descend(weights, data, update);
    const std::size_t first = update * samples_of_update;
    run.train_step(data.features().subspan(first * features, samples_of_update * features),
                   data.labels().subspan(first, samples_of_update));
    const std::vector<numbers> found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(4e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == 10 * (54 + 4 * 6 + 42 + 2 * 2 + 21));
  CHECK(std::abs(weights[5][0] - 1) > 0.01);
  // Evaluation and prediction know the running statistics alone.
  std::vector<float> predicted(3 * samples_of_update);
  run.predict(data.features().subspan(0, samples_of_update * features), predicted);
  const matrix expected = forward(weights, points_of(data, 0, samples_of_update), true).logits;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    CHECK(static_cast<double>(predicted[i]) == Approx(expected[i / 3][i % 3]).margin(2e-5));
  }
  std::printf("batch normalization: compared %d values\n", compared);
}

TEST_CASE("batch normalization has the same bits on every schedule, and replicas fold in order") {
  const point_set data = labelled_points(321, 1);
  int agreed = check_bits<normalized, sgd<>, 1>(data);
  agreed += check_bits<normalized, adam, 1>(data);
  agreed += check_bits<normalized, sgd<momentum>, 2>(data);
  CHECK(agreed == 27);
  std::printf("batch normalization: %d runs agree\n", agreed);
}

TEST_CASE("each block of a model with batch normalization can be computed from its declarations") {
  std::int64_t blocks = 0;
  for (const tile_check& found :
       {check_tiles<trained<normalized, grouped>>(ipu2),
        check_tiles<trained<normalized, grouped, sgd<momentum>, 2>>(ipu2),
        check_tiles<trained<images, sequential_schedule>>(ipu2),
        check_tiles<trained<first_normalized, sequential_schedule>>(ipu2)}) {
    CHECK(found.fault == "");
    blocks += found.count.blocks;
  }
  CHECK(blocks > 1000);
  std::printf("batch normalization: checked %d blocks\n", static_cast<int>(blocks));
}

TEST_CASE("a predictor of a model with states gives a session's bits, from loaded weights too") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  const point_set data = labelled_points(320, 1);
  session<trained<normalized, grouped>> run;
  run.fit(data | repeated(), {.steps_per_epoch = 40});
  run.save(path);
  session<trained<normalized, interleaved>> other({}, {.seed = 9});
  other.load(path);
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
  std::vector<float> expected(3 * 7);
  run.predict(data.features().subspan(0, 7 * features), expected);
  weights_of<normalized> kept;
  kept.copy_from(other.weights());
  predictor<normalized, micro_batch<7>> given(kept);
  std::vector<float> found(3 * 7);
  CHECK(given.predict(data.features().subspan(0, 7 * features), std::span(found)));
  CHECK(found == expected);
}
