// SPDX-License-Identifier: MIT
// Regression on float targets: against float64, on every schedule, block by block.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;
using reference::activation;
using reference::dense;
using reference::function;

namespace {

constexpr int micro_batch_size = 6;
constexpr int accumulated = 4;
constexpr int micro_batches = 48;
constexpr std::size_t inputs = 7;
constexpr std::size_t outputs = 19;
constexpr std::size_t samples = std::size_t{micro_batch_size} * std::size_t{micro_batches};

using pairs = paired_dataset<shape{7}, shape{19}>;

struct whole : model<input<7>, sequential<Dense<11, hyperbolic_tangent>, Dense<19, sigmoid>>> {};

struct cut
    : model<input<7>, pipeline<stage<Dense<11, hyperbolic_tangent>>, stage<Dense<19, sigmoid>>>> {};

template <typename Model, typename Schedule, typename... Options>
struct training
    : compile<Model, Schedule, micro_batch<micro_batch_size>, gradient_accumulation<accumulated>,
              loss<mean_squared_error>, metrics<binary_accuracy, mean_squared_error>,
              optimizer<sgd<momentum>>, Options...> {};

using on_one = training<whole, sequential_schedule>;
constexpr sgd<momentum>::settings rates{.learning_rate = 0.5F, .momentum = 0.9F};

/// Zeros and ones that follow from the features.
pairs drawn_pairs() {
  const std::vector<float> features = reference::numbers(samples * inputs, 21, 1.0F);
  std::vector<float> targets;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    for (std::size_t n = 0; n < outputs; ++n) {
      const float* const row = features.data() + sample * inputs;
      targets.push_back(row[n % inputs] > row[(n + 3) % inputs] ? 1.0F : 0.0F);
    }
  }
  return {features, targets};
}

/// Some rows of an array for the reference.
reference::matrix rows_of(std::span<const float> all, std::size_t width, std::size_t first,
                          std::size_t count) {
  const std::span<const float> part = all.subspan(first * width, count * width);
  return reference::widened(std::vector<float>(part.begin(), part.end()), width);
}

/// Adds the gradient of the mean squared error; returns that error.
double accumulate(reference::chain& layers, const reference::matrix& features,
                  const reference::matrix& wanted) {
  const reference::matrix output = reference::forward(layers, features);
  reference::matrix gradient = output;
  const auto numbers = static_cast<double>(output.values.size());
  double sum = 0;
  for (std::size_t i = 0; i < output.values.size(); ++i) {
    const double difference = output.values[i] - wanted.values[i];
    sum += difference * difference;
    gradient.values[i] = 2 * difference / numbers;
  }
  reference::backward(layers, gradient, false);
  return sum / numbers;
}

template <typename Compiled>
std::uint64_t weights_after(const pairs& data, int threads) {
  session<Compiled> run(rates, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  run.fit(data, {.steps_per_epoch = micro_batches});
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("losses of a regression agree with float64 over twelve updates") {
  const pairs data = drawn_pairs();
  session<on_one> run(rates);
  reference::chain exact = {dense(7, 11), function(activation::tanh), dense(11, 19),
                            function(activation::sigmoid)};
  tests::copy_weights(run.weights(), exact);
  const auto losses = run.fit(data, {.steps_per_epoch = micro_batches}).losses();
  const reference::descent by{reference::descent::kind::momentum, rates.learning_rate.at(0),
                              static_cast<double>(rates.momentum)};
  int compared = 0;
  for (std::size_t i = 0; i < std::size_t{micro_batches}; ++i) {
    const std::size_t first = i * std::size_t{micro_batch_size};
    const double loss = accumulate(exact, rows_of(data.features(), inputs, first, micro_batch_size),
                                   rows_of(data.targets(), outputs, first, micro_batch_size));
    if ((i + 1) % accumulated == 0) {
      reference::update(exact, by, 1);
    }
    CHECK(std::abs(static_cast<double>(losses[i]) - loss) <= 1e-5 * loss);
    ++compared;
  }
  CHECK(compared == micro_batches);
  std::printf("regression: compared %d losses\n", compared);
}

TEST_CASE("metrics of an evaluation are means over all samples") {
  const pairs data = drawn_pairs();
  session<on_one> run(rates);
  run.fit(data, {.steps_per_epoch = micro_batches});
  const evaluation found = run.evaluate(data | take(100));
  std::vector<float> output(100 * outputs);
  run.predict(data.features().first(100 * inputs), output);
  double squares = 0;
  double hits = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double difference =
        static_cast<double>(output[i]) - static_cast<double>(data.targets()[i]);
    squares += difference * difference;
    hits += (output[i] > 0.5F) == (data.targets()[i] == 1.0F) ? 1 : 0;
  }
  const auto count = static_cast<double>(output.size());
  CHECK(found.samples == 100);
  CHECK(std::abs(found.loss - squares / count) <= 1e-6 * found.loss);
  CHECK(found.metrics["mean_squared_error"] == found.loss);
  CHECK(std::abs(found.metrics["binary_accuracy"] - hits / count) < 1e-7);
}

TEST_CASE("metrics of an epoch are means over what it trained on") {
  const pairs data = drawn_pairs();
  session<on_one> run(rates);
  const history& passed = run.fit(data, {.epochs = 2});
  for (const epoch_record& epoch : passed.epochs()) {
    CHECK(epoch.metrics.names().size() == 2);
    CHECK(std::abs(epoch.metrics["mean_squared_error"] - epoch.loss) <= 1e-6 * epoch.loss);
  }
  CHECK(passed.epochs()[1].metrics["binary_accuracy"] >
        passed.epochs()[0].metrics["binary_accuracy"]);
}

TEST_CASE("a regression has the same bits on every schedule, worker and replica count") {
  const pairs data = drawn_pairs();
  const std::uint64_t expected = weights_after<on_one>(data, 1);
  CHECK(weights_after<on_one>(data, 3) == expected);
  CHECK(weights_after<training<cut, grouped>>(data, 2) == expected);
  CHECK(weights_after<training<cut, interleaved>>(data, 2) == expected);
  CHECK(weights_after<training<cut, sequential_schedule>>(data, 1) == expected);
  using replicated = training<cut, grouped, replicas<2>>;
  CHECK(weights_after<replicated>(data, 1) == weights_after<replicated>(data, 4));
}

TEST_CASE("one update from plain float targets is that of a fit") {
  const pairs data = drawn_pairs();
  constexpr std::size_t count = std::size_t{micro_batch_size} * std::size_t{accumulated};
  session<on_one> expected(rates);
  expected.fit(data, {.steps_per_epoch = accumulated});
  session<on_one> run(rates);
  const double loss =
      run.train_step(data.features().first(count * inputs), data.targets().first(count * outputs));
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
  CHECK(loss > 0);
}

TEST_CASE("blocks of a loss on float targets have the bits of the session") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64}) {
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check found = check_tiles<on_one>(target, {.most_blocks = 5}, rates);
    CHECK(found.fault == "");
    CHECK(found.count.blocks > 0);
    blocks += found.count.blocks;
  }
  std::printf("regression: checked %lld blocks\n", static_cast<long long>(blocks));
}
