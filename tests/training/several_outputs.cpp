// SPDX-License-Identifier: MIT
// Models of several inputs and outputs: their numbers against a float64 reference, the same bits on
// every schedule, what is reported and predicted, block by block.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/descent.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using namespace reference;

constexpr std::size_t features = 5;
constexpr std::size_t extras = 3;
constexpr std::size_t classes = 4;
constexpr std::size_t samples_of_micro_batch = 6;
constexpr std::size_t samples_of_update = 4 * samples_of_micro_batch;
constexpr double price_weight = 0.25;

/// Two inputs, of which the second comes in late; two outputs, one of the first stage.
struct house {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input("rooms", {features});
    const symbolic_tensor region = build.input("region", {extras});
    const symbolic_tensor hidden = build.layer<Dense<7, hyperbolic_tangent>>("hidden", rooms);
    const symbolic_tensor price = build.layer<Dense<1>>("price", hidden);
    build.stage(1);
    const symbolic_tensor both = build.layer<Concatenate>("both", hidden, region);
    const symbolic_tensor kind = build.layer<Dense<classes>>("kind", both);
    return {kind, price};
  }
};

/// Losses are listed in another order than outputs.
template <typename Schedule, typename Optimizer = sgd<momentum>, int Replicas = 1>
struct trained
    : compile<house, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>, Schedule,
              replicas<Replicas>, optimizer<Optimizer>,
              loss<for_output<"price", mean_squared_error, loss_weight<price_weight>>,
                   for_output<"kind", sparse_categorical_crossentropy>>,
              metrics<for_output<"kind", accuracy>, for_output<"price", mean_squared_error>>> {};

using columns = zipped_dataset<feature_column<shape{features}>, feature_column<shape{extras}>,
                               label_column<classes>, target_column<shape{1}>>;

struct house_set {
  std::vector<float> rooms;
  std::vector<float> regions;
  std::vector<std::int32_t> kinds;
  std::vector<float> prices;

  columns zip() const {
    return zipped(feature_column<shape{features}>(rooms), feature_column<shape{extras}>(regions),
                  label_column<classes>(kinds), target_column<shape{1}>(prices));
  }
};

house_set drawn_houses(std::size_t samples) {
  house_set drawn{reference::numbers(samples * features, 3, 1.0F),
                  reference::numbers(samples * extras, 4, 1.0F),
                  {},
                  {}};
  for (std::size_t i = 0; i < samples; ++i) {
    const float* const room = drawn.rooms.data() + i * features;
    const float* const region = drawn.regions.data() + i * extras;
    drawn.kinds.push_back((room[0] > 0 ? 2 : 0) + (region[0] > 0 ? 1 : 0));
    drawn.prices.push_back(room[1] * room[2] - 0.5F * room[3]);
  }
  return drawn;
}

struct judged_sample {
  double kind = 0;
  double price = 0;
};

/// Weights in order: kernel and bias of hidden, price, kind.
judged_sample losses_of_sample(const weight_list& weights, const house_set& data,
                               std::size_t sample) {
  const std::vector<double> hidden =
      tanh_of(dense_of(weights, 0, row_of(data.rooms, sample, features)));
  const double error = dense_of(weights, 1, hidden)[0] - static_cast<double>(data.prices[sample]);
  std::vector<double> both = hidden;
  const std::vector<double> region = row_of(data.regions, sample, extras);
  both.insert(both.end(), region.begin(), region.end());
  return {cross_entropy_of(dense_of(weights, 2, both), data.kinds[sample]), error * error};
}

/// The sum of the micro-batches' mean losses.
double loss_of_update(const weight_list& weights, const house_set& data, std::size_t update) {
  double sum = 0;
  for (std::size_t i = 0; i < samples_of_update; ++i) {
    const judged_sample judged = losses_of_sample(weights, data, update * samples_of_update + i);
    sum += judged.kind + price_weight * judged.price;
  }
  return sum / samples_of_micro_batch;
}

template <typename Compiled>
std::uint64_t train(const columns& data, int threads, std::vector<float>& losses) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  const auto noted = run.fit(data | shuffled(64) | repeated(), {.steps_per_epoch = 80}).losses();
  losses.assign(noted.begin(), noted.end());
  return run.weights().fingerprint();
}

/// One result of all schedules and numbers of threads; returns how many runs agreed.
template <typename Optimizer, int Replicas>
int check_bits(const columns& data) {
  std::vector<float> expected;
  std::vector<float> losses;
  const std::uint64_t weights =
      train<trained<sequential_schedule, Optimizer, Replicas>>(data, 1, expected);
  int agreed = 0;
  for (const int threads : {1, 2, 4}) {
    CHECK(train<trained<grouped, Optimizer, Replicas>>(data, threads, losses) == weights);
    CHECK(losses == expected);
    CHECK(train<trained<interleaved, Optimizer, Replicas>>(data, threads, losses) == weights);
    CHECK(losses == expected);
    agreed += 2;
  }
  return agreed;
}

}  // namespace

TEST_CASE("two losses of two stages train as float64 says") {
  constexpr std::size_t updates = 8;
  const house_set data = drawn_houses(updates * samples_of_update);
  session<trained<grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  weight_list weights = weights_of_session(run.weights());
  weight_list velocities = zeros_like(weights);
  const weight_list start = weights;
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    const double expected = loss_of_update(weights, data, update) / 4;
    descend(weights, velocities, 0.05, 0.9,
            [&](const weight_list& probe) { return loss_of_update(probe, data, update); });
    const std::size_t first = update * samples_of_update;
    const auto part = [&](auto& of, std::size_t elements) {
      return std::span(of).subspan(first * elements, samples_of_update * elements);
    };
    const double found =
        run.train_step(input_arrays{part(data.rooms, features), part(data.regions, extras)},
                       target_arrays{part(data.kinds, 1), part(data.prices, 1)});
    CHECK(found == Approx(expected).epsilon(1e-5));
    const weight_list trained_weights = weights_of_session(run.weights());
    REQUIRE(trained_weights.size() == weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(trained_weights[i][k] == Approx(weights[i][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  // All three kernels have moved far beyond what is tolerated.
  for (const std::size_t kernel : {0U, 2U, 4U}) {
    CHECK(std::abs(weights[kernel][0] - start[kernel][0]) > 1e-3);
  }
  CHECK(compared == 8 * (42 + 8 + 44));
  std::printf("several outputs: compared %d weights\n", compared);
}

TEST_CASE("two losses of two stages have the same bits on every schedule") {
  const columns data = drawn_houses(320).zip();
  int agreed = check_bits<sgd<momentum>, 1>(data);
  agreed += check_bits<adam, 1>(data);
  agreed += check_bits<sgd<momentum>, 2>(data);
  CHECK(agreed == 18);
  std::printf("several outputs: %d runs agree\n", agreed);
}

TEST_CASE("each block of a model with two outputs can be computed from what is declared") {
  const tile_check found = check_tiles<trained<grouped>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}

TEST_CASE("each loss is reported by itself, and their weighted sum") {
  const house_set data = drawn_houses(100);
  session<trained<interleaved>> run;
  const columns given = data.zip();
  run.fit(given | repeated(), {.steps_per_epoch = 40});
  const evaluation found = run.evaluate(given);
  const weight_list weights = weights_of_session(run.weights());
  judged_sample mean;
  for (std::size_t sample = 0; sample < 100; ++sample) {
    const judged_sample judged = losses_of_sample(weights, data, sample);
    mean.kind += judged.kind / 100;
    mean.price += judged.price / 100;
  }
  CHECK(found.samples == 100);
  CHECK(found.metrics["kind_loss"] == Approx(mean.kind).epsilon(1e-5));
  CHECK(found.metrics["price_loss"] == Approx(mean.price).epsilon(1e-5));
  CHECK(found.loss == Approx(mean.kind + price_weight * mean.price).epsilon(1e-5));
  CHECK(found.metrics["price_mean_squared_error"] == found.metrics["price_loss"]);
  CHECK(found.metrics["kind_accuracy"] > 0.2);
  CHECK(found.metrics.names().size() == 4);
}

TEST_CASE("all outputs are predicted, of any number of samples") {
  const house_set data = drawn_houses(100);
  session<trained<grouped>> run;
  std::vector<float> kinds(100 * classes);
  std::array<float, 100> prices;
  run.predict(input_arrays{data.rooms, data.regions}, output_arrays{kinds, prices});
  const weight_list weights = weights_of_session(run.weights());
  int compared = 0;
  for (std::size_t sample = 0; sample < 100; ++sample) {
    const std::vector<double> hidden =
        tanh_of(dense_of(weights, 0, row_of(data.rooms, sample, features)));
    CHECK(prices[sample] == Approx(dense_of(weights, 1, hidden)[0]).margin(1e-5));
    ++compared;
  }
  CHECK(compared == 100);
  session<compile<house, micro_batch<16>>> whole;
  std::vector<float> same(100 * classes);
  whole.predict(input_arrays{data.rooms, data.regions},
                output_arrays{std::span(same), std::span(prices)});
  CHECK(same == kinds);
}

TEST_CASE("arrays for several inputs and outputs are refused before anything changes") {
  const house_set data = drawn_houses(24);
  session<trained<grouped>> run;
  const std::uint64_t before = run.weights().fingerprint();
  const std::vector<float> few(23 * extras);
  CHECK_THROWS_WITH(
      run.train_step(input_arrays{data.rooms, few}, target_arrays{data.kinds, data.prices}),
      "A batch of 24 samples got 23 of another input.");
  const std::vector<float> fewer_prices(23);
  CHECK_THROWS_WITH(run.train_step(input_arrays{data.rooms, data.regions},
                                   target_arrays{data.kinds, fewer_prices}),
                    "A batch of 24 samples got 23 targets.");
  std::vector<float> kinds(24 * classes);
  std::vector<float> prices(23);
  CHECK_THROWS_WITH(
      run.predict(input_arrays{data.rooms, data.regions}, output_arrays{kinds, prices}),
      "predict of 24 samples writes 24 values, got room for 23.");
  CHECK(run.weights().fingerprint() == before);
  CHECK(kinds == std::vector<float>(24 * classes));
}

TEST_CASE("a summary names the losses with their outputs") {
  const std::string table =
      summary_text(planned_graph_of<trained<grouped>::compiled>.view(), "house");
  CHECK(table.find("Loss: sparse_categorical_crossentropy of kind\n"
                   "Loss: mean_squared_error of price\n") != std::string::npos);
}

namespace {

/// An output of its own stage that nobody judges.
struct silent {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input({features});
    const symbolic_tensor hidden = build.layer<Dense<7, relu>>("hidden", rooms);
    const symbolic_tensor price = build.layer<Dense<1>>("price", hidden);
    build.stage(1);
    return {price, build.layer<Dense<2>>("unjudged", hidden)};
  }
};

template <typename Schedule>
struct trained_silent
    : compile<silent, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>, Schedule,
              loss<for_output<"price", mean_squared_error>>> {};

}  // namespace

TEST_CASE("an output that nobody judges is predicted and not trained") {
  const house_set data = drawn_houses(24);
  session<trained_silent<grouped>> run;
  const weight_list before = weights_of_session(run.weights());
  run.train_step(data.rooms, data.prices);
  const weight_list after = weights_of_session(run.weights());
  CHECK(before[0] != after[0]);
  CHECK(before[4] == after[4]);
  std::vector<float> prices(24);
  std::vector<float> others(48);
  run.predict(input_arrays{data.rooms}, output_arrays{prices, others});
  CHECK(others != std::vector<float>(48));
}

namespace {

/// The first output is judged by a metric alone.
struct reported {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input({features});
    const symbolic_tensor hidden = build.layer<Dense<7, relu>>("hidden", rooms);
    return {build.layer<Dense<1>>("a", hidden), build.layer<Dense<1>>("c", hidden)};
  }
};

struct trained_reported
    : compile<reported, micro_batch<6>, loss<for_output<"c", mean_squared_error>>,
              metrics<for_output<"a", mean_absolute_error>>> {};

}  // namespace

TEST_CASE("targets come in the order of the outputs, whatever judges them") {
  const house_set data = drawn_houses(6);
  const auto far = zipped(feature_column<shape{features}>(data.rooms),
                          target_column<shape{1}>(std::vector<float>(6, 100)),
                          target_column<shape{1}>(std::vector<float>(6, 5)));
  session<trained_reported> run;
  const evaluation found = run.evaluate(far);
  CHECK(found.loss == Approx(25).margin(15));
  CHECK(found.metrics["a_mean_absolute_error"] == Approx(100).margin(5));
}
