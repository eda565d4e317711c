// SPDX-License-Identifier: MIT
// LayerNormalization, RMSNormalization and GroupNormalization in a model: numbers against a float64
// reference by central differences, the same bits however they are cut, block by block.
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
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using namespace reference;

constexpr std::size_t positions = 6;
constexpr std::size_t features = 7;
constexpr std::size_t samples_of_update = 24;

using first_norm = LayerNormalization<gamma_regularizer<l2<0.125F>>>;
using second_norm = GroupNormalization<2, epsilon<0.01F>>;

/// Positions that fill no vector; the first layer has no gradient to give.
struct uncut
    : model<input<2, 3, 7>, sequential<RMSNormalization<>, Dense<5>, first_norm, hyperbolic_tangent,
                                       Dense<6>, second_norm, hyperbolic_tangent, Dense<1>>> {};

struct divided : model<input<2, 3, 7>, pipeline<stage<RMSNormalization<>, Dense<5>, first_norm>,
                                                stage<hyperbolic_tangent, Dense<6>, second_norm,
                                                      hyperbolic_tangent, Dense<1>>>> {};

template <typename Model, typename Schedule, int MicroBatch = 3, int Replicas = 1>
struct trained : compile<Model, Schedule, micro_batch<MicroBatch>,
                         gradient_accumulation<samples_of_update / MicroBatch>, mean_gradients,
                         replicas<Replicas>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

using numbers_list = std::vector<double>;

/// The numbers in `members` of a sample, normalised among themselves.
void normalize(numbers_list& values, const std::vector<std::size_t>& members, double epsilon,
               bool centers) {
  double mean = 0;
  for (const std::size_t at : members) {
    mean += centers ? values[at] / static_cast<double>(members.size()) : 0;
  }
  double square = 0;
  for (const std::size_t at : members) {
    square += (values[at] - mean) * (values[at] - mean) / static_cast<double>(members.size());
  }
  for (const std::size_t at : members) {
    values[at] = (values[at] - mean) / std::sqrt(square + epsilon);
  }
}

/// Groups of neighbouring channels at `at` positions each.
void normalize_sample(numbers_list& values, std::size_t channels, std::size_t groups,
                      bool over_positions, double epsilon, bool centers) {
  const std::size_t width = channels / groups;
  const std::size_t sets = over_positions ? 1 : positions;
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t group = 0; group < groups; ++group) {
      std::vector<std::size_t> members;
      for (std::size_t position = 0; position < positions; ++position) {
        for (std::size_t i = 0; i < width && (over_positions || position == set); ++i) {
          members.push_back(position * channels + group * width + i);
        }
      }
      normalize(values, members, epsilon, centers);
    }
  }
}

void scale(numbers_list& values, const numbers_list& gamma, const numbers_list& beta) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = values[i] * gamma[i % gamma.size()] + beta[i % beta.size()];
  }
}

numbers_list dense_at_positions(const numbers_list& x, const numbers_list& kernel,
                                const numbers_list& bias) {
  const std::size_t inputs = kernel.size() / bias.size();
  numbers_list y;
  for (std::size_t position = 0; position < positions; ++position) {
    for (std::size_t n = 0; n < bias.size(); ++n) {
      double sum = bias[n];
      for (std::size_t k = 0; k < inputs; ++k) {
        sum += x[position * inputs + k] * kernel[k * bias.size() + n];
      }
      y.push_back(sum);
    }
  }
  return y;
}

/// Weights: gamma; kernel, bias, gamma, beta; kernel, bias, gamma, beta; kernel, bias.
numbers_list output_of(const weight_list& weights, numbers_list x) {
  normalize_sample(x, 7, 1, false, static_cast<double>(1e-6F), false);
  scale(x, weights[0], {0});
  x = dense_at_positions(x, weights[1], weights[2]);
  normalize_sample(x, 5, 1, false, static_cast<double>(1e-3F), true);
  scale(x, weights[3], weights[4]);
  x = dense_at_positions(tanh_of(x), weights[5], weights[6]);
  normalize_sample(x, 6, 2, true, static_cast<double>(0.01F), true);
  scale(x, weights[7], weights[8]);
  return dense_at_positions(tanh_of(x), weights[9], weights[10]);
}

double loss_of_update(const weight_list& weights, const std::vector<float>& x,
                      const std::vector<float>& y, std::size_t update) {
  double sum = 0;
  for (const double gamma : weights[3]) {
    sum += gamma * gamma / 8;
  }
  for (std::size_t i = 0; i < samples_of_update; ++i) {
    const std::size_t sample = update * samples_of_update + i;
    const numbers_list found = output_of(weights, row_of(x, sample, positions * features));
    const numbers_list wanted = row_of(y, sample, positions);
    for (std::size_t position = 0; position < positions; ++position) {
      const double error = found[position] - wanted[position];
      sum += error * error / static_cast<double>(positions * samples_of_update);
    }
  }
  return sum;
}

template <typename Compiled>
std::uint64_t train(const std::vector<float>& x, const std::vector<float>& y, int threads) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  for (int update = 0; update < 5; ++update) {
    run.train_step(x, y);
  }
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("layers that normalise train as float64 says") {
  constexpr std::size_t updates = 4;
  constexpr std::size_t rows = samples_of_update * positions;
  const std::vector<float> x = numbers(updates * rows * features, 5, 1.0F);
  const std::vector<float> y = numbers(updates * rows, 6, 1.0F);
  session<trained<divided, grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  REQUIRE(weights.size() == 11);
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    descend(weights, velocities, static_cast<double>(0.05F), static_cast<double>(0.9F),
            [&](const weight_list& probe) { return loss_of_update(probe, x, y, update); });
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
  CHECK(compared == 4 * (7 + 35 + 5 + 10 + 30 + 6 + 12 + 6 + 1));
  for (const std::size_t each : std::vector<std::size_t>{0, 3, 4, 7, 8}) {
    CHECK(std::abs(weights[each][0] - start[each][0]) > 1e-4);
  }
  std::vector<float> predicted(positions);
  run.predict(std::span(x).first(positions * features), predicted);
  const numbers_list expected = output_of(weights, row_of(x, 0, positions * features));
  for (std::size_t i = 0; i < positions; ++i) {
    CHECK(static_cast<double>(predicted[i]) == Approx(expected[i]).margin(1e-5));
  }
  weights_of<divided> kept;
  kept.copy_from(run.weights());
  std::vector<float> again(positions);
  predictor<divided, micro_batch<1>> alone(kept);
  CHECK(alone.predict(std::span(x).first(positions * features), again));
  CHECK(again == predicted);
  std::printf("layers that normalise: compared %d weights\n", compared);
}

TEST_CASE("layers that normalise have the same bits however they are cut and shared") {
  const std::vector<float> x = numbers(samples_of_update * positions * features, 7, 1.0F);
  const std::vector<float> y = numbers(samples_of_update * positions, 8, 1.0F);
  const auto expected = train<trained<uncut, sequential_schedule>>(x, y, 1);
  CHECK(train<trained<uncut, sequential_schedule, 12>>(x, y, 2) == expected);
  CHECK(train<trained<uncut, sequential_schedule>>(x, y, 3) == expected);
  CHECK(train<trained<divided, grouped>>(x, y, 3) == expected);
  CHECK(train<trained<divided, interleaved>>(x, y, 2) == expected);
  std::vector<float> both_x = x;
  both_x.insert(both_x.end(), x.begin(), x.end());
  std::vector<float> both_y = y;
  both_y.insert(both_y.end(), y.begin(), y.end());
  const auto replicated = train<trained<divided, grouped, 3, 2>>(both_x, both_y, 1);
  CHECK(train<trained<divided, grouped, 3, 2>>(both_x, both_y, 4) == replicated);
}

TEST_CASE("layers that normalise, block by block") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64}) {
    machine_target machine = ipu2;
    machine.tiles = tiles;
    const tile_check found =
        check_tiles<trained<divided, grouped>>(machine, {.updates = 2, .most_blocks = 8});
    INFO(found.fault);
    CHECK(found.passed());
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
  std::printf("layers that normalise: %d blocks\n", static_cast<int>(blocks));
}
