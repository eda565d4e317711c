// SPDX-License-Identifier: MIT
// Dense on images and sequences, whose last axis it multiplies: its numbers against a float64
// reference, the same bits however it is cut, block by block.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/compose.hpp>
#include <ipu_dsl/model/functional.hpp>
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
constexpr std::size_t samples_of_micro_batch = 3;
constexpr std::size_t samples_of_update = 4 * samples_of_micro_batch;

/// An image of 2 x 3 positions; the second Dense wants the gradient of its input, behind a mask.
struct uncut
    : model<input<2, 3, 7>, sequential<Dense<5, hyperbolic_tangent>, Dense<4, sigmoid>, Dense<1>>> {
};

struct divided
    : model<input<2, 3, 7>,
            pipeline<stage<Dense<5, hyperbolic_tangent>>, stage<Dense<4, sigmoid>, Dense<1>>>> {};

template <typename Model, typename Schedule, int Replicas = 1>
struct trained
    : compile<Model, Schedule, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>,
              replicas<Replicas>, loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

double sigmoid_of(double x) {
  return 1 / (1 + std::exp(-x));
}

/// What comes out at one position.
double output_at(const weight_list& weights, const std::vector<double>& features_there) {
  std::vector<double> second = dense_of(weights, 1, tanh_of(dense_of(weights, 0, features_there)));
  for (double& value : second) {
    value = sigmoid_of(value);
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

}  // namespace

TEST_CASE("Dense multiplies the last axis of an image") {
  constexpr shape made = graph_of<uncut>.at(graph_of<uncut>.output(0)).extents;
  STATIC_REQUIRE(made == shape{2, 3, 1});
  STATIC_REQUIRE(graph_of<uncut>.at(graph_of<uncut>.find(tensor_role::parameter)).extents ==
                 shape{7, 5});
  CHECK(made.elements() == positions);
}

TEST_CASE("Dense on an image trains as float64 says") {
  constexpr std::size_t updates = 6;
  const std::vector<float> x = numbers(updates * samples_of_update * positions * features, 5, 1.0F);
  const std::vector<float> y = numbers(updates * samples_of_update * positions, 6, 1.0F);
  session<trained<divided, grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    descend(weights, velocities, 0.05, 0.9,
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
  CHECK(std::abs(weights[0][0] - start[0][0]) > 1e-3);
  CHECK(compared == 6 * (7 * 5 + 5 + 5 * 4 + 4 + 4 + 1));
  std::printf("dense on positions: compared %d weights\n", compared);
}

TEST_CASE("Dense on an image has the same bits however it is cut and shared") {
  const std::vector<float> x = numbers(2 * samples_of_update * positions * features, 7, 1.0F);
  const std::vector<float> y = numbers(2 * samples_of_update * positions, 8, 1.0F);
  const std::vector<float> half_x(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  const std::vector<float> half_y(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(y.size() / 2));
  const auto expected = train<trained<uncut, sequential_schedule>>(half_x, half_y, 1);
  const auto replicated = train<trained<uncut, sequential_schedule, 2>>(x, y, 1);
  int agreed = 0;
  for (const int threads : {1, 2, 3}) {
    CHECK(train<trained<divided, grouped>>(half_x, half_y, threads) == expected);
    CHECK(train<trained<divided, interleaved>>(half_x, half_y, threads) == expected);
    CHECK(train<trained<uncut, sequential_schedule>>(half_x, half_y, threads) == expected);
    CHECK(train<trained<divided, interleaved, 2>>(x, y, threads) == replicated);
    agreed += 4;
  }
  CHECK(agreed == 12);
}

namespace {

/// A node that lays out the input stands before each call of the shared layer, and belongs to it.
struct shared_positions {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor first = build.input("first", {4, 3});
    const symbolic_tensor second = build.input("second", {4, 3});
    auto encoder = build.shared<Dense<6, relu>>("encoder");
    auto reader = build.shared<SimpleRNN<5>>("reader");
    return build.layer<Add>("sum", reader(encoder(first)), reader(encoder(second)));
  }
};

struct apart_positions {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor first = build.input({4, 3});
    const symbolic_tensor code = build.layer<Dense<6, relu>>("encoder", first);
    return build.layer<SimpleRNN<5>>("reader", code);
  }
};

}  // namespace

TEST_CASE("a shared Dense of positions and a shared SimpleRNN have one set of parameters") {
  session<compile<shared_positions, micro_batch<2>>> both;
  session<compile<apart_positions, micro_batch<2>>> one({}, {.seed = 9});
  REQUIRE(both.weights().size() == one.weights().size());
  for (std::size_t i = 0; i < both.weights().size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(both.weights().at(i).extents.elements()));
    both.weights().get(i, values);
    one.weights().set(i, values);
  }
  const std::vector<float> left = numbers(24, 11, 1.0F);
  const std::vector<float> right = numbers(24, 12, 1.0F);
  std::vector<float> of_left(10);
  std::vector<float> of_right(10);
  std::vector<float> sum(10);
  one.predict(left, of_left);
  one.predict(right, of_right);
  both.predict(input_arrays{left, right}, output_arrays{sum});
  for (std::size_t i = 0; i < sum.size(); ++i) {
    CHECK(sum[i] == of_left[i] + of_right[i]);
  }
}

TEST_CASE("each block of Dense on an image can be computed from what is declared") {
  const tile_check found = check_tiles<trained<divided, grouped>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}

TEST_CASE("a predictor of Dense on an image has the bits of the session") {
  session<compile<uncut, micro_batch<1>>> run;
  const std::vector<float> x = numbers(positions * features, 9, 1.0F);
  std::vector<float> expected(positions);
  run.predict(x, expected);
  weights_of<uncut> weights;
  weights.copy_from(run.weights());
  predictor<uncut, micro_batch<1>> predicts(weights);
  std::vector<float> found(positions);
  CHECK(predicts.predict(x, found));
  CHECK(found == expected);
}
