// SPDX-License-Identifier: MIT
// Softmax and its logarithm over the last axis of images and sequences: numbers against a float64
// reference, the same bits however they are cut, block by block.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/activation.hpp"
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using namespace reference;

constexpr std::size_t positions = 6;
constexpr std::size_t features = 7;
constexpr std::size_t samples_of_micro_batch = 3;
constexpr std::size_t samples_of_update = 6 * samples_of_micro_batch;

/// An image of 2 x 3 positions, whose classes fill no vector, and whose input needs no gradient.
struct uncut
    : model<input<2, 3, 7>, sequential<Dense<5, softmax>, Dense<4>, log_softmax, Dense<1>>> {};

struct divided
    : model<input<2, 3, 7>,
            pipeline<stage<Dense<5>>, stage<Softmax, Dense<4, log_softmax>>, stage<Dense<1>>>> {};

/// Positions of whole vectors lie as rows do; the first and the last layer are a softmax.
struct whole_vectors : model<input<3, 16>, sequential<softmax, Dense<32>, Activation<softmax>>> {};

template <typename Model, typename Schedule, int Replicas = 1>
struct trained
    : compile<Model, Schedule, micro_batch<samples_of_micro_batch>, gradient_accumulation<6>,
              replicas<Replicas>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

std::vector<double> softmax_of(const std::vector<double>& x) {
  std::vector<double> y(x.size());
  softmax_row(x.data(), y.data(), x.size());
  return y;
}

/// What comes out at one position.
double output_at(const weight_list& weights, const std::vector<double>& features_there) {
  std::vector<double> second =
      softmax_of(dense_of(weights, 1, softmax_of(dense_of(weights, 0, features_there))));
  for (double& value : second) {
    value = std::log(value);
  }
  return dense_of(weights, 2, second)[0];
}

/// The sum of the micro-batches' means of squared errors.
double loss_of_update(const weight_list& weights, const std::vector<float>& x,
                      const std::vector<float>& y, std::size_t update) {
  double sum = 0;
  for (std::size_t i = 0; i < samples_of_update * positions; ++i) {
    const std::size_t row = update * samples_of_update * positions + i;
    const double error = output_at(weights, row_of(x, row, features)) - static_cast<double>(y[row]);
    sum += error * error / positions;
  }
  return sum / samples_of_micro_batch;
}

template <typename Compiled>
std::uint64_t train(const std::vector<float>& x, const std::vector<float>& y, int threads) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  for (int update = 0; update < 5; ++update) {
    run.train_step(x, y);
  }
  return run.weights().fingerprint();
}

/// Blocks that have the bits of the session.
template <typename Compiled>
std::int64_t check_blocks(std::int32_t tiles) {
  machine_target machine = ipu2;
  machine.tiles = tiles;
  const tile_check found = check_tiles<Compiled>(machine, {.updates = 2, .most_blocks = 8});
  INFO(found.fault);
  CHECK(found.passed());
  return found.count.blocks;
}

}  // namespace

TEST_CASE("softmax of positions trains as float64 says") {
  constexpr std::size_t updates = 6;
  const std::vector<float> x = numbers(updates * samples_of_update * positions * features, 5, 1.0F);
  const std::vector<float> y = numbers(updates * samples_of_update * positions, 6, 1.0F);
  session<trained<divided, grouped>> run({.learning_rate = 0.005F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    descend(weights, velocities, 0.005, 0.9,
            [&](const weight_list& probe) { return loss_of_update(probe, x, y, update); });
    const std::size_t rows = samples_of_update * positions;
    run.train_step(std::span(x).subspan(update * rows * features, rows * features),
                   std::span(y).subspan(update * rows, rows));
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(std::abs(weights[0][0] - start[0][0]) > 1e-5);
  CHECK(compared == 6 * (7 * 5 + 5 + 5 * 4 + 4 + 4 + 1));
  std::printf("softmax of positions: compared %d weights\n", compared);
}

TEST_CASE("softmax of positions has the same bits however it is cut and shared") {
  const std::vector<float> x = numbers(2 * samples_of_update * positions * features, 7, 1.0F);
  const std::vector<float> y = numbers(2 * samples_of_update * positions, 8, 1.0F);
  const std::vector<float> half_x(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  const std::vector<float> half_y(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(y.size() / 2));
  const auto expected = train<trained<uncut, sequential_schedule>>(half_x, half_y, 1);
  const auto replicated = train<trained<uncut, sequential_schedule, 2>>(x, y, 1);
  int agreed = 0;
  for (const int threads : {1, 2, 3}) {
    CHECK(train<trained<divided, grouped>>(half_x, half_y, threads) == expected);
    CHECK(train<trained<uncut, sequential_schedule>>(half_x, half_y, threads) == expected);
    CHECK(train<trained<divided, interleaved, 2>>(x, y, threads) == replicated);
    agreed += 3;
  }
  CHECK(agreed == 9);
}

TEST_CASE("softmax of positions, block by block") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64}) {
    blocks += check_blocks<trained<divided, grouped>>(tiles);
    blocks += check_blocks<trained<whole_vectors, sequential_schedule>>(tiles);
  }
  CHECK(blocks > 0);
  std::printf("softmax of positions: %d blocks\n", static_cast<int>(blocks));
}

TEST_CASE("the classes of each position add up to one") {
  session<compile<whole_vectors, micro_batch<2>>> run;
  const std::vector<float> x = numbers(2 * 3 * 16, 9, 2.0F);
  std::vector<float> y(2 * 3 * 32);
  run.predict(x, y);
  int summed = 0;
  for (std::size_t position = 0; position < 6; ++position) {
    double sum = 0;
    for (const double each : row_of(y, position, 32)) {
      sum += each;
    }
    CHECK(sum == Approx(1).margin(1e-6));
    ++summed;
  }
  CHECK(summed == 6);
  weights_of<whole_vectors> weights;
  weights.copy_from(run.weights());
  std::vector<float> again(y.size());
  predictor<whole_vectors, micro_batch<2>> predict(weights);
  CHECK(predict.predict(x, again));
  CHECK(again == y);
}
