// SPDX-License-Identifier: MIT
// Losses and metrics on float targets have the same bits on every schedule, with any number of
// workers and however an update is cut into micro-batches; and block by block on tiles.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr std::size_t samples = 96;
constexpr std::size_t inputs = 7;
constexpr std::size_t outputs = 19;

using pairs = paired_dataset<shape{7}, shape{19}>;

/// Samples of which one number is wanted, or none but zeros.
pairs drawn_pairs() {
  const std::vector<float> features = reference::numbers(samples * inputs, 51, 1.0F);
  std::vector<float> targets(samples * outputs);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    targets[sample * outputs + sample * 5 % outputs] = sample % 7 == 0 ? 0.0F : 1.0F;
  }
  return {features, targets};
}

template <typename Last>
struct whole : model<input<7>, sequential<Dense<11, hyperbolic_tangent>, Dense<19>, Last>> {};

template <typename Last>
struct cut
    : model<input<7>, pipeline<stage<Dense<11, hyperbolic_tangent>>, stage<Dense<19>, Last>>> {};

/// 24 samples an update.
template <typename Model, int MicroBatch, typename Loss, typename Metrics, typename... Options>
struct trained : compile<Model, micro_batch<MicroBatch>, mean_gradients, Loss, Metrics,
                         optimizer<sgd<momentum>>, Options...> {};

/// What training leaves: the weights, and what its last epoch said.
struct outcome {
  std::uint64_t weights = 0;
  std::vector<double> said;

  bool operator==(const outcome&) const = default;
};

template <typename Compiled>
outcome train(const pairs& data, int threads) {
  session<Compiled> run({.learning_rate = 0.1F, .momentum = 0.9F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  run.fit(data, {.epochs = 2});
  const evaluation found = run.evaluate(data);
  outcome left{.weights = run.weights().fingerprint(), .said = {}};
  left.said.assign(found.metrics.values().begin(), found.metrics.values().end());
  left.said.push_back(found.loss);
  return left;
}

/// Every schedule, cut and number of workers against one stage and one worker.
template <typename Last, typename Loss, typename Metrics>
int check_all() {
  const pairs data = drawn_pairs();
  using on_one =
      trained<whole<Last>, 6, Loss, Metrics, sequential_schedule, gradient_accumulation<4>>;
  const outcome expected = train<on_one>(data, 1);
  CHECK(train<on_one>(data, 3) == expected);
  CHECK(train<trained<cut<Last>, 6, Loss, Metrics, grouped, gradient_accumulation<4>>>(data, 2) ==
        expected);
  CHECK(train<trained<cut<Last>, 6, Loss, Metrics, interleaved, gradient_accumulation<4>>>(
            data, 2) == expected);
  CHECK(
      train<trained<whole<Last>, 12, Loss, Metrics, sequential_schedule, gradient_accumulation<2>>>(
          data, 1)
          .weights == expected.weights);
  using replicated =
      trained<cut<Last>, 3, Loss, Metrics, grouped, gradient_accumulation<4>, replicas<2>>;
  CHECK(train<replicated>(data, 1) == train<replicated>(data, 4));
  return 5;
}

}  // namespace

TEST_CASE("a binary cross-entropy and what counts have the same bits everywhere") {
  CHECK(check_all<sigmoid, loss<binary_crossentropy, label_smoothing<0.125F>>,
                  metrics<auc, precision, mean_of_output>>() == 5);
}

TEST_CASE("a categorical cross-entropy and what judges samples have the same bits everywhere") {
  CHECK(check_all<softmax, loss<categorical_crossentropy>,
                  metrics<cosine_similarity, kl_divergence, top_k_categorical_accuracy<3>>>() == 5);
}

TEST_CASE("a loss of cosines and of large differences have the same bits everywhere") {
  CHECK(check_all<linear, loss<cosine_similarity>,
                  metrics<metric<huber, delta<0.25F>>, log_cosh>>() == 5);
}
