// SPDX-License-Identifier: MIT
// A BatchNormalization that is called twice: each call has the statistics of its own batch, and
// both move the running ones, micro-batch after micro-batch and call after call.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "training/batch_normalization_reference.hpp"

namespace {

using namespace ipu_dsl;
using tests::labelled_points;
using tests::matrix;
using tests::moments;
using tests::numbers;
using tests::point_set;

constexpr std::size_t features = 8;
constexpr std::size_t units = 6;
constexpr std::size_t samples_of_micro_batch = 8;
constexpr std::size_t samples_of_update = 4 * samples_of_micro_batch;

/// What is normalised twice is of different sizes, so that the order of the calls matters.
struct twice {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({features});
    const symbolic_tensor left = build.layer<Dense<units>>("left", point);
    const symbolic_tensor right = build.layer<Dense<units, hyperbolic_tangent>>("right", point);
    auto normalized = build.shared<BatchNormalization<running_momentum<0.75F>>>("normalized");
    const symbolic_tensor first = normalized(left);
    const symbolic_tensor second = normalized(right);
    const symbolic_tensor joined = build.layer<Concatenate>("joined", first, second);
    build.stage(1);
    return build.layer<Dense<3>>("logits", joined);
  }
};

template <typename Schedule, int Replicas = 1>
struct trained
    : compile<twice, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>, Schedule,
              replicas<Replicas>, loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};

/// Logits of a micro-batch, and the moments of both calls; with `running` statistics those of
/// evaluation. Weights in order: kernel and bias of left and right, gamma, beta, mean, variance,
/// kernel and bias of the logits.
struct pass {
  matrix logits;
  moments first;
  moments second;
};

/// Scaled and moved by gamma and beta.
matrix normalize(const matrix& x, const moments& by, const numbers& gamma, const numbers& beta) {
  matrix made = tests::normalize(x, by, static_cast<double>(1e-3F));
  for (numbers& row : made) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = row[i] * gamma[i] + beta[i];
    }
  }
  return made;
}

pass forward(const std::vector<numbers>& weights, const matrix& points, bool running) {
  pass made;
  const matrix left = tests::dense(points, weights[0], weights[1]);
  matrix right = tests::dense(points, weights[2], weights[3]);
  for (numbers& row : right) {
    for (double& value : row) {
      value = std::tanh(value);
    }
  }
  const moments kept{weights[6], weights[7]};
  made.first = running ? kept : tests::moments_of(left, units);
  made.second = running ? kept : tests::moments_of(right, units);
  matrix joined = normalize(left, made.first, weights[4], weights[5]);
  const matrix behind = normalize(right, made.second, weights[4], weights[5]);
  for (std::size_t sample = 0; sample < joined.size(); ++sample) {
    joined[sample].insert(joined[sample].end(), behind[sample].begin(), behind[sample].end());
  }
  made.logits = tests::dense(joined, weights[8], weights[9]);
  return made;
}

bool is_state(std::size_t weight) {
  return weight == 6 || weight == 7;
}

/// The sum of the micro-batches' mean losses, each call in its own statistics.
double loss_of_update(const std::vector<numbers>& weights, const point_set& data,
                      std::size_t update) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t first = update * samples_of_update + i * samples_of_micro_batch;
    const matrix points = tests::points_of(data, first, samples_of_micro_batch);
    const pass made = forward(weights, points, false);
    for (std::size_t sample = 0; sample < samples_of_micro_batch; ++sample) {
      sum += tests::cross_entropy(made.logits[sample], data.labels()[first + sample]);
    }
  }
  return sum / samples_of_micro_batch;
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
    const matrix points = tests::points_of(data, first, samples_of_micro_batch);
    const pass made = forward(before, points, false);
    tests::move(weights[6], made.first.mean);
    tests::move(weights[7], made.first.variance);
    tests::move(weights[6], made.second.mean);
    tests::move(weights[7], made.second.variance);
  }
}

template <typename Compiled>
std::uint64_t fingerprint(const point_set& data, int threads) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  run.fit(data | repeated(), {.steps_per_epoch = 40});
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("a BatchNormalization called twice trains and runs as float64 says") {
  constexpr std::size_t updates = 10;
  const point_set data = labelled_points(updates * samples_of_update, 5);
  session<trained<grouped>> run({.learning_rate = 0.05F});
  std::vector<numbers> weights = tests::weights_of_session(run.weights());
  REQUIRE(weights.size() == 10);
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    descend(weights, data, update);
    const std::size_t first = update * samples_of_update;
    run.train_step(data.features().subspan(first * features, samples_of_update * features),
                   data.labels().subspan(first, samples_of_update));
    const std::vector<numbers> found = tests::weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(4e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == 10 * (2 * 54 + 4 * 6 + 39));
  CHECK(std::abs(weights[7][0] - 1) > 0.01);

  // Evaluation, prediction and a predictor know the running statistics alone.
  const auto points = data.features().subspan(0, samples_of_update * features);
  std::vector<float> predicted(3 * samples_of_update);
  run.predict(points, predicted);
  const matrix points_before = tests::points_of(data, 0, samples_of_update);
  const matrix expected = forward(weights, points_before, true).logits;
  double loss = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    CHECK(static_cast<double>(predicted[i]) == Approx(expected[i / 3][i % 3]).margin(2e-5));
  }
  for (std::size_t sample = 0; sample < samples_of_update; ++sample) {
    loss += tests::cross_entropy(expected[sample], data.labels()[sample]) / samples_of_update;
  }
  const point_set seen({points.begin(), points.end()},
                       {data.labels().begin(), data.labels().begin() + samples_of_update});
  CHECK(run.evaluate(seen).loss == Approx(loss).margin(2e-5));
  weights_of<twice> kept;
  kept.copy_from(run.weights());
  predictor<twice, micro_batch<samples_of_update>> alone(kept);
  std::vector<float> again(predicted.size());
  CHECK(alone.predict(points, std::span(again)));
  CHECK(again == predicted);
  std::printf("a BatchNormalization called twice: compared %d values\n", compared);
}

TEST_CASE("a BatchNormalization called twice has the same bits on every schedule") {
  const point_set data = labelled_points(320, 1);
  const std::uint64_t expected = fingerprint<trained<sequential_schedule>>(data, 1);
  const std::uint64_t replicated = fingerprint<trained<sequential_schedule, 2>>(data, 1);
  CHECK(expected != replicated);
  for (const int threads : {1, 2, 4}) {
    CHECK(fingerprint<trained<grouped>>(data, threads) == expected);
    CHECK(fingerprint<trained<interleaved>>(data, threads) == expected);
    CHECK(fingerprint<trained<grouped, 2>>(data, threads) == replicated);
    CHECK(fingerprint<trained<interleaved, 2>>(data, threads) == replicated);
  }
}

TEST_CASE("each block of a BatchNormalization called twice is computed from its declarations") {
  const tile_check found = check_tiles<trained<grouped>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}
