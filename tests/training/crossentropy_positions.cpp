// SPDX-License-Identifier: MIT
// Cross-entropies of classes at each position: numbers against a float64 reference, the same bits
// however an update is cut, block by block; and accuracies.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>
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
constexpr std::size_t features = 3;
constexpr std::size_t classes = 5;
constexpr std::size_t samples = 12;
constexpr std::size_t rows = samples * positions;

/// Classes fill no vector; the losses train on the logits before the softmax, or the sigmoid.
struct uncut : model<input<6, 3>, sequential<Dense<4, hyperbolic_tangent>, Dense<5, softmax>>> {};

struct divided
    : model<input<6, 3>, pipeline<stage<Dense<4, hyperbolic_tangent>>, stage<Dense<5, softmax>>>> {
};

/// What is judged is a view of a vector, which is laid out for the loss.
struct reshaped : model<input<18>, sequential<Dense<30>, Reshape<6, 5>>> {};

struct yes_or_no
    : model<input<2, 3, 3>, sequential<Dense<4, hyperbolic_tangent>, Dense<5>, sigmoid>> {};

template <typename Model, typename Schedule, int MicroBatch, int Replicas, typename... Options>
struct trained : compile<Model, Schedule, micro_batch<MicroBatch>, mean_gradients,
                         replicas<Replicas>, gradient_accumulation<12 / MicroBatch / Replicas>,
                         optimizer<sgd<momentum>>, Options...> {};

template <typename Model, typename Schedule, int MicroBatch, int Replicas = 1>
using labelled =
    trained<Model, Schedule, MicroBatch, Replicas,
            loss<sparse_categorical_crossentropy, position_weights>,
            metrics<accuracy, metric<accuracy, position_weights, metric_name<"masked">>,
                    sparse_top_k_categorical_accuracy<2>>>;

using smoothed = trained<divided, grouped, 3, 1,
                         loss<categorical_crossentropy, label_smoothing<0.1F>, sample_weights>,
                         metrics<categorical_accuracy>>;

using of_pixels = trained<yes_or_no, sequential_schedule, 6, 1, loss<binary_crossentropy>>;

struct update_data {
  std::vector<float> x = numbers(rows * features, 5, 1.5F);
  std::vector<std::int32_t> labels = reference::labels(rows, 6, static_cast<int>(classes));
  std::vector<float> mask = std::vector<float>(rows);
  std::vector<float> wanted = numbers(rows * classes, 7, 0.5F);
  std::vector<float> importance = std::vector<float>(samples);

  update_data() {
    for (std::size_t i = 0; i < rows; ++i) {
      mask[i] = i % positions > i / positions % 7 ? 0.0F : i % 3 == 0 ? 0.5F : 1.0F;
    }
    for (float& each : wanted) {
      each += 0.5F;
    }
    for (std::size_t i = 0; i < samples; ++i) {
      importance[i] = i % 4 == 1 ? 0.0F : 0.25F * static_cast<float>(i);
    }
  }
};

const update_data data;

std::vector<double> logits_at(const weight_list& weights, std::size_t row) {
  return dense_of(weights, 1, tanh_of(dense_of(weights, 0, row_of(data.x, row, features))));
}

/// What each kind of loss says of a row.
double labelled_loss(const weight_list& weights, std::size_t row) {
  return static_cast<double>(data.mask[row]) *
         cross_entropy_of(logits_at(weights, row), data.labels[row]);
}

double smoothed_loss(const weight_list& weights, std::size_t row) {
  const std::vector<double> logits = logits_at(weights, row);
  const std::vector<double> wanted = row_of(data.wanted, row, classes);
  double sum = 0;
  for (std::size_t n = 0; n < classes; ++n) {
    const double target = 0.9 * wanted[n] + 0.1 / static_cast<double>(classes);
    sum += target * cross_entropy_of(logits, static_cast<std::int32_t>(n));
  }
  return static_cast<double>(data.importance[row / positions]) * sum;
}

double loss_of_pixel(const weight_list& weights, std::size_t row) {
  const std::vector<double> logits = logits_at(weights, row);
  double sum = 0;
  for (std::size_t n = 0; n < classes; ++n) {
    const double wanted = static_cast<double>(data.wanted[row * classes + n]);
    sum += std::log1p(std::exp(logits[n])) - wanted * logits[n];
  }
  return sum / static_cast<double>(classes);
}

/// Ten updates, as `step(run)` makes them, beside those of float64.
template <typename Compiled, typename Step>
int check_training(double (*loss_of_row)(const weight_list&, std::size_t), const Step& step) {
  session<Compiled> run({.learning_rate = 0.1F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const auto mean_loss = [&](const weight_list& probe) {
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      sum += loss_of_row(probe, row);
    }
    return sum / static_cast<double>(rows);
  };
  int compared = 0;
  for (int update = 0; update < 10; ++update) {
    const double expected = mean_loss(weights);
    descend(weights, velocities, 0.1, 0.9, mean_loss);
    CHECK(step(run) == Approx(expected).epsilon(1e-5));
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  return compared;
}

template <typename Compiled>
std::uint64_t train(int threads) {
  session<Compiled> run({.learning_rate = 0.1F, .momentum = 0.9F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  for (int update = 0; update < 5; ++update) {
    run.train_step(data.x, data.labels, data.mask);
  }
  return run.weights().fingerprint();
}

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

TEST_CASE("classes at each position train as float64 says") {
  constexpr int each = 10 * (3 * 4 + 4 + 4 * 5 + 5);
  const auto by_labels = [](auto& run) { return run.train_step(data.x, data.labels, data.mask); };
  const auto by_shares = [](auto& run) {
    return run.train_step(data.x, data.wanted, data.importance);
  };
  const auto by_pixels = [](auto& run) { return run.train_step(data.x, data.wanted); };
  CHECK(check_training<labelled<divided, grouped, 3>>(labelled_loss, by_labels) == each);
  CHECK(check_training<smoothed>(smoothed_loss, by_shares) == each);
  CHECK(check_training<of_pixels>(loss_of_pixel, by_pixels) == each);
}

TEST_CASE("classes at each position have the same bits however an update is cut") {
  const std::uint64_t expected = train<labelled<uncut, sequential_schedule, 12>>(1);
  const std::uint64_t replicated = train<labelled<divided, interleaved, 3, 2>>(1);
  int agreed = 0;
  for (const int threads : {1, 2, 3}) {
    CHECK(train<labelled<divided, grouped, 3>>(threads) == expected);
    CHECK(train<labelled<uncut, sequential_schedule, 3, 2>>(threads) == replicated);
    agreed += 2;
  }
  CHECK(agreed == 6);
}

TEST_CASE("classes at each position, block by block") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64}) {
    blocks += check_blocks<labelled<divided, grouped, 3>>(tiles);
    blocks += check_blocks<smoothed>(tiles);
  }
  CHECK(blocks > 0);
  std::printf("classes at positions: %d blocks\n", static_cast<int>(blocks));
}

TEST_CASE("accuracies of classes at each position are those of all positions") {
  session<labelled<divided, grouped, 3>> run;
  std::vector<float> scores(rows * classes);
  for (std::size_t first = 0; first < samples; first += 3) {
    run.predict(std::span(data.x).subspan(first * positions * features, 3 * positions * features),
                std::span(scores).subspan(first * positions * classes, 3 * positions * classes));
  }
  double hits = 0;
  double counted_hits = 0;
  double counted = 0;
  double among_two = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> shares = row_of(scores, row, classes);
    const double own = shares[static_cast<std::size_t>(data.labels[row])];
    int above = 0;
    for (const double each : shares) {
      above += each > own ? 1 : 0;
    }
    hits += above == 0 ? 1 : 0;
    among_two += above < 2 ? 1 : 0;
    counted_hits += above == 0 ? static_cast<double>(data.mask[row]) : 0;
    counted += static_cast<double>(data.mask[row]);
  }
  const auto given =
      zipped(feature_column<shape{6, 3}>(data.x), label_column<5, shape{6}>(data.labels),
             weight_column<shape{6}>(data.mask));
  const evaluation found = run.evaluate(given);
  CHECK(hits > 0);
  CHECK(found.metrics["accuracy"] == Approx(hits / rows));
  CHECK(found.metrics["masked"] == Approx(counted_hits / counted));
  CHECK(found.metrics["sparse_top_k_categorical_accuracy"] == Approx(among_two / rows));
}

TEST_CASE("a vector that is seen as positions trains by central differences") {
  using training = compile<reshaped, micro_batch<12>, loss<sparse_categorical_crossentropy>,
                           metrics<accuracy>, optimizer<sgd<>>>;
  session<training> run({.learning_rate = 1});
  session<training> other({.learning_rate = 1e-20F});
  std::vector<float> before(18 * 30);
  std::vector<float> after(before.size());
  run.weights().get(0, before);
  run.train_step(data.x, data.labels);
  run.weights().get(0, after);
  int compared = 0;
  for (std::size_t i = 0; i < before.size(); i += 37) {
    const auto loss_at = [&](float moved) {
      std::vector<float> changed = before;
      changed[i] += moved;
      other.weights().set(0, changed);
      return other.train_step(data.x, data.labels);
    };
    constexpr float width = 0x1p-7F;
    const double slope = (loss_at(width) - loss_at(-width)) / (2 * static_cast<double>(width));
    CHECK(static_cast<double>(before[i] - after[i]) == Approx(slope).epsilon(1e-3).margin(1e-4));
    ++compared;
  }
  CHECK(compared == 15);
}
