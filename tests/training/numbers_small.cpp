// SPDX-License-Identifier: MIT
// Losses of small models against the float64 reference: activations, optimizers, reductions.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/tutorial.hpp"

using namespace ipu_dsl;
using reference::activation;
using reference::dense;
using reference::function;

namespace {

constexpr int micro_batch_size = 8;
constexpr int accumulated = 4;
constexpr int micro_batches = 64;
constexpr std::size_t inputs = 13;
constexpr int classes = 5;

template <typename... Layers>
struct network : model<input<13>, sequential<Layers...>> {};

template <typename Model, typename Optimizer, typename Reduction>
struct training : compile<Model, micro_batch<micro_batch_size>, gradient_accumulation<accumulated>,
                          optimizer<Optimizer>, Reduction, loss<sparse_categorical_crossentropy>,
                          metrics<accuracy>> {};

/// What the reference does: which descent, with the sum or the mean of the gradients.
struct recipe {
  const char* name;
  reference::descent by;
  double factor = 1;
};

constexpr float rate = 0.05F;
constexpr float kept_velocity = 0.8F;

constexpr reference::descent descent_of(reference::descent::kind kind) {
  return {kind, static_cast<double>(rate), static_cast<double>(kept_velocity)};
}

/// Plain descent keeps no velocity, and has no number for one.
template <typename Settings>
constexpr Settings settings_with_rate() {
  if constexpr (std::same_as<Settings, sgd_settings>) {
    return {.learning_rate = rate};
  } else {
    return {.learning_rate = rate, .momentum = kept_velocity};
  }
}

/// The losses of the first 64 micro-batches, within 1e-5 relative.
template <typename Compiled>
void compare(const recipe& expected, reference::chain exact) {
  constexpr std::size_t samples = std::size_t{micro_batch_size} * std::size_t{micro_batches};
  const std::vector<float> features = reference::numbers(samples * inputs, 3, 2.0F);
  const std::vector<std::int32_t> labels = reference::labels(samples, 4, classes);
  session<Compiled> run(settings_with_rate<typename session<Compiled>::settings>());
  tests::copy_weights(run.weights(), exact);
  batch_feed feed({features, inputs}, {labels, 1, classes});
  batch_feed same_feed({features, inputs}, {labels, 1, classes});
  feed_reference rows_of(same_feed);
  const auto losses = run.fit(feed, {.steps_per_epoch = micro_batches}).losses();
  double worst = 0;
  int compared = 0;
  for (int i = 0; i < micro_batches; ++i) {
    const tests::sample_rows rows = tests::next_rows(rows_of, micro_batch_size);
    const double loss = reference::accumulate(exact, rows.features, rows.labels);
    if ((i + 1) % accumulated == 0) {
      reference::update(exact, expected.by, expected.factor);
    }
    const double found = static_cast<double>(losses[static_cast<std::size_t>(i)]);
    INFO(expected.name << ", micro-batch " << i << ": " << found << ", expected " << loss);
    CHECK(std::abs(found - loss) <= 1e-5 * loss);
    worst = std::max(worst, std::abs(found - loss) / loss);
    ++compared;
  }
  CHECK(compared == micro_batches);
  std::printf("numbers: %s: compared %d losses, worst relative error %.1e\n", expected.name,
              compared, worst);
}

using small = network<Dense<11, relu>, Dense<7, gelu>, Dense<5>>;

reference::chain exact_small() {
  return {dense(13, 11), function(activation::relu), dense(11, 7), function(activation::gelu),
          dense(7, 5)};
}

using kind = reference::descent::kind;

}  // namespace

TEST_CASE("losses with plain descent and the sum of the gradients") {
  compare<training<small, sgd<>, sum_gradients>>({"plain, sum", descent_of(kind::plain)},
                                                 exact_small());
}

TEST_CASE("losses with momentum and the mean of the gradients") {
  compare<training<small, sgd<momentum>, mean_gradients>>(
      {"momentum, mean", descent_of(kind::momentum), 1.0 / accumulated}, exact_small());
}

TEST_CASE("losses with Nesterov's momentum and the sum of the gradients") {
  compare<training<small, sgd<momentum, nesterov>, sum_gradients>>(
      {"nesterov, sum", descent_of(kind::nesterov)}, exact_small());
}

TEST_CASE("losses with tanh, swish, softplus and elu") {
  using layers = network<Dense<11, hyperbolic_tangent>, Dense<7, swish>, Dense<11, softplus>,
                         Dense<7, elu>, Dense<5, softmax>>;
  compare<training<layers, sgd<momentum>, sum_gradients>>(
      {"tanh, swish, softplus, elu", descent_of(kind::momentum)},
      {dense(13, 11), function(activation::tanh), dense(11, 7), function(activation::swish),
       dense(7, 11), function(activation::softplus), dense(11, 7), function(activation::elu, 1),
       dense(7, 5)});
}

TEST_CASE("losses with sigmoid, leaky_relu, softmax within and no bias") {
  using layers = network<Dense<11, sigmoid, use_bias<false>>, Dense<7, leaky_relu>,
                         Dense<11, softmax>, Dense<5>>;
  compare<training<layers, sgd<>, mean_gradients>>(
      {"sigmoid, leaky_relu, softmax", descent_of(kind::plain), 1.0 / accumulated},
      {dense(13, 11, false), function(activation::sigmoid), dense(11, 7),
       function(activation::leaky_relu, static_cast<double>(0.3F)), dense(7, 11),
       function(activation::softmax), dense(11, 5)});
}
