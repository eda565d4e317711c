// SPDX-License-Identifier: MIT
// A layer that is called several times with one set of parameters: its numbers against a float64
// reference, the same bits on every schedule, names and counts once, saved and loaded.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "support/reference/descent.hpp"

namespace {

using namespace ipu_dsl;
using namespace reference;
using tests::labelled_points;
using tests::point_set;
using tests::temporary_directory;

constexpr std::size_t features = 8;
constexpr std::size_t units = 6;
constexpr std::size_t classes = 3;
constexpr std::size_t samples_of_micro_batch = 8;
constexpr std::size_t samples_of_update = 4 * samples_of_micro_batch;

/// One Dense is called on two others, and on what it made itself.
struct tied {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({features});
    const symbolic_tensor left = build.layer<Dense<units, hyperbolic_tangent>>("left", point);
    const symbolic_tensor right = build.layer<Dense<units, sigmoid>>("right", point);
    auto encoder = build.shared<Dense<units, hyperbolic_tangent>>("encoder");
    const symbolic_tensor first = encoder(left);
    const symbolic_tensor second = encoder(right);
    const symbolic_tensor third = encoder(second);
    const symbolic_tensor sum = build.layer<Add>("sum", first, second, third);
    build.stage(1);
    return build.layer<Dense<classes>>("logits", sum);
  }
};

template <typename Schedule, typename Optimizer = sgd<momentum>, int Replicas = 1>
struct trained
    : compile<tied, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>, Schedule,
              replicas<Replicas>, loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

/// Weights in order: kernel and bias of left, right, encoder, logits.
double loss_of_sample(const weight_list& weights, const std::vector<double>& point,
                      std::int32_t label) {
  const std::vector<double> left = tanh_of(dense_of(weights, 0, point));
  std::vector<double> right = dense_of(weights, 1, point);
  for (double& value : right) {
    value = 1 / (1 + std::exp(-value));
  }
  const std::vector<double> first = tanh_of(dense_of(weights, 2, left));
  const std::vector<double> second = tanh_of(dense_of(weights, 2, right));
  std::vector<double> sum = tanh_of(dense_of(weights, 2, second));
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += first[i] + second[i];
  }
  const std::vector<double> logits = dense_of(weights, 3, sum);
  return cross_entropy_of(logits, label);
}

/// What update number `update` descends: the sum of the micro-batches' mean losses.
double loss_of_update(const weight_list& weights, const point_set& data, std::size_t update) {
  double sum = 0;
  for (std::size_t i = 0; i < samples_of_update; ++i) {
    const std::size_t sample = update * samples_of_update + i;
    sum +=
        loss_of_sample(weights, row_of(data.features(), sample, features), data.labels()[sample]);
  }
  return sum / samples_of_micro_batch;
}

struct outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;

  friend bool operator==(const outcome&, const outcome&) = default;
};

template <typename Compiled>
outcome train(const point_set& data, int threads) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  const auto losses = run.fit(data | repeated(), {.steps_per_epoch = 80}).losses();
  return {run.weights().fingerprint(), {losses.begin(), losses.end()}};
}

/// One result of all schedules and numbers of threads; returns how many runs agreed.
template <typename Optimizer, int Replicas>
int check_bits(const point_set& data) {
  const outcome expected = train<trained<sequential_schedule, Optimizer, Replicas>>(data, 1);
  int agreed = 0;
  for (const int threads : {1, 2, 4}) {
    CHECK(train<trained<sequential_schedule, Optimizer, Replicas>>(data, threads) == expected);
    CHECK(train<trained<grouped, Optimizer, Replicas>>(data, threads) == expected);
    CHECK(train<trained<interleaved, Optimizer, Replicas>>(data, threads) == expected);
    agreed += 3;
  }
  return agreed;
}

}  // namespace

TEST_CASE("a Dense called three times trains as float64 says") {
  constexpr std::size_t updates = 10;
  const point_set data = labelled_points(updates * samples_of_update, 5);
  session<trained<grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    descend(weights, velocities, 0.05, 0.9,
            [&](const weight_list& probe) { return loss_of_update(probe, data, update); });
    const std::size_t first = update * samples_of_update;
    run.train_step(data.features().subspan(first * features, samples_of_update * features),
                   data.labels().subspan(first, samples_of_update));
    const weight_list found = weights_of_session(run.weights());
    REQUIRE(found.size() == weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(2e-6));
        ++compared;
      }
    }
  }
  // The shared kernel has moved far beyond what is tolerated.
  CHECK(std::abs(weights[4][0] - start[4][0]) > 1e-3);
  CHECK(compared == 10 * (2 * 54 + 42 + 21));
  std::printf("shared layers: compared %d weights\n", compared);
}

TEST_CASE("a Dense called three times has the same bits on every schedule") {
  const point_set data = labelled_points(320, 1);
  int agreed = check_bits<sgd<momentum>, 1>(data);
  agreed += check_bits<adam, 1>(data);
  agreed += check_bits<sgd<momentum>, 2>(data);
  CHECK(agreed == 27);
  std::printf("shared layers: %d runs agree\n", agreed);
}

TEST_CASE("each block of a model with a shared layer can be computed from what is declared") {
  const tile_check found = check_tiles<trained<grouped>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
  const tile_check replicated = check_tiles<trained<grouped, sgd<momentum>, 2>>(ipu2);
  CHECK(replicated.fault == "");
  CHECK(replicated.count.blocks > 0);
}

TEST_CASE("a shared layer has its name, its parameters and its values once") {
  session<trained<grouped>> run;
  CHECK(run.weights().size() == 8);
  CHECK(run.weights().find("encoder/kernel") == 4);
  std::int64_t values = 0;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    values += run.weights().at(i).extents.elements();
  }
  CHECK(values == 171);
  const std::string table = summary_text(graph_of<tied>, "tied");
  CHECK(table.find("Parameters: 171\n") != std::string::npos);
  std::size_t calls = 0;
  for (std::size_t at = table.find("\nencoder"); at != std::string::npos;
       at = table.find("\nencoder", at + 1)) {
    ++calls;
  }
  CHECK(calls == 3);
}

TEST_CASE("a shared layer is saved once and loaded again") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  const point_set data = labelled_points(320, 1);
  session<trained<grouped>> run;
  run.fit(data | repeated(), {.steps_per_epoch = 20});
  run.save(path);
  std::size_t kernels = 0;
  for (const npz_entry& entry : read_npz(path)) {
    kernels += entry.name.find("encoder/kernel") != std::string::npos ? std::size_t{1} : 0;
  }
  CHECK(kernels == 1);
  session<trained<sequential_schedule>> other({}, {.seed = 9});
  CHECK(other.weights().fingerprint() != run.weights().fingerprint());
  other.load(path);
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
  CHECK(other.evaluate(data).loss == run.evaluate(data).loss);
}
