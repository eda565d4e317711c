// SPDX-License-Identifier: MIT
// Frozen layers in a training: what learns does so as float64 says, what is frozen keeps its bits,
// has no gradient and nothing beside it, and files of weights do not know the difference.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
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

constexpr std::size_t features = 5;
constexpr std::size_t outputs = 3;
constexpr std::size_t samples_of_update = 24;

/// What is frozen stands below the first layer that learns, and above it, where gradients pass
/// through it. Weights: Dense 0 and 1 of stage 0; gamma, beta, mean, variance; Dense 2 and 3.
template <typename Below, typename Above>
struct net
    : model<input<features>,
            pipeline<stage<Below, Dense<7, hyperbolic_tangent>>, stage<Above, Dense<outputs>>>> {};

using below = Dense<9, hyperbolic_tangent>;
using above = sequential<BatchNormalization<>, Dense<6, hyperbolic_tangent>, Dense<4>>;

using learning = net<below, above>;
using half_frozen = net<frozen<below>, frozen<above>>;

template <typename Schedule, int MicroBatch = 3, int Replicas = 1,
          typename Optimizer = sgd<momentum>>
struct trained
    : compile<half_frozen, Schedule, micro_batch<MicroBatch>,
              gradient_accumulation<static_cast<int>(samples_of_update) / MicroBatch>,
              mean_gradients, replicas<Replicas>, loss<mean_squared_error>, optimizer<Optimizer>> {
};

/// The parameters that learn: kernel and bias of the second Dense and of the last.
constexpr bool learns(std::size_t weight) {
  return weight == 2 || weight == 3 || weight == 12 || weight == 13;
}

using numbers_list = std::vector<double>;

numbers_list product_of(const weight_list& weights, std::size_t kernel, const numbers_list& x) {
  numbers_list y = weights[kernel + 1];
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t n = 0; n < y.size(); ++n) {
      y[n] += x[k] * weights[kernel][k * y.size() + n];
    }
  }
  return y;
}

numbers_list output_of(const weight_list& weights, const numbers_list& x) {
  const numbers_list first = tanh_of(product_of(weights, 0, x));
  numbers_list normal = tanh_of(product_of(weights, 2, first));
  for (std::size_t i = 0; i < normal.size(); ++i) {
    const double deviation = std::sqrt(weights[7][i] + static_cast<double>(1e-3F));
    normal[i] = (normal[i] - weights[6][i]) / deviation * weights[4][i] + weights[5][i];
  }
  const numbers_list hidden = tanh_of(product_of(weights, 8, normal));
  return product_of(weights, 12, product_of(weights, 10, hidden));
}

double loss_of_update(const weight_list& weights, std::span<const float> x,
                      std::span<const float> y) {
  double sum = 0;
  for (std::size_t sample = 0; sample < samples_of_update; ++sample) {
    const numbers_list found = output_of(weights, row_of(x, sample, features));
    const numbers_list wanted = row_of(y, sample, outputs);
    for (std::size_t i = 0; i < outputs; ++i) {
      const double error = found[i] - wanted[i];
      sum += error * error / static_cast<double>(outputs * samples_of_update);
    }
  }
  return sum;
}

/// Weights that are nowhere as a layer starts: what was trained before.
void spread(parameters weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> values =
        numbers(static_cast<std::size_t>(weights.at(i).extents.elements()), 90 + i, 0.75F);
    for (float& value : values) {
      value = i == 7 ? value + 1.0F : value;  // variances are above zero
    }
    weights.set(i, values);
  }
}

constexpr int updates = 3;

std::vector<float> inputs_of(int count) {
  return numbers(static_cast<std::size_t>(count) * samples_of_update * features, 5, 1.0F);
}

std::vector<float> targets_of(int count) {
  return numbers(static_cast<std::size_t>(count) * samples_of_update * outputs, 6, 1.0F);
}

template <typename Compiled>
std::uint64_t train(int threads, int replicas = 1) {
  session<Compiled> run({}, {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  spread(run.weights());
  for (int update = 0; update < 5; ++update) {
    run.train_step(inputs_of(replicas), targets_of(replicas));
  }
  return run.weights().fingerprint();
}

/// Of one device's training: whether anything has a gradient or is kept that does not learn.
template <typename Compiled>
int buffers_of_frozen(buffer_role role) {
  const graph_view model = planned_graph_of<typename Compiled::compiled>.view();
  const lowered_program made =
      lowering(model, program_kind::train, 3, Compiled::settings.optimizer).lower();
  int count = 0;
  for (const buffer& each : made.made.buffers) {
    count += each.role == role && each.tensor >= 0 && !model.at(each.tensor).trainable ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("layers that learn between frozen ones train as float64 says") {
  const std::vector<float> x = inputs_of(updates);
  const std::vector<float> y = targets_of(updates);
  session<trained<grouped>> run({.learning_rate = 0.05F, .momentum = 0.9F});
  spread(run.weights());
  weight_list weights = weights_of_session(run.weights());
  REQUIRE(weights.size() == 14);
  const weight_list start = weights;
  weight_list velocities = zeros_like(weights);
  int compared = 0;
  for (std::size_t update = 0; update < updates; ++update) {
    const auto features_now =
        std::span(x).subspan(update * samples_of_update * features, samples_of_update * features);
    const auto targets_now =
        std::span(y).subspan(update * samples_of_update * outputs, samples_of_update * outputs);
    const weight_list before = weights;
    descend(
        weights, velocities, static_cast<double>(0.05F), static_cast<double>(0.9F),
        [&](const weight_list& probe) { return loss_of_update(probe, features_now, targets_now); });
    run.train_step(features_now, targets_now);
    const weight_list found = weights_of_session(run.weights());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!learns(i)) {
        weights[i] = before[i];
        CHECK(found[i] == start[i]);
        continue;
      }
      CHECK(found[i] != start[i]);
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        CHECK(found[i][k] == Approx(weights[i][k]).margin(3e-6));
        ++compared;
      }
    }
  }
  CHECK(compared == updates * (9 * 7 + 7 + 4 * 3 + 3));
  std::printf("frozen: compared %d weights\n", compared);
}

TEST_CASE("what is frozen has no gradient, nothing is kept beside it, and files do not know") {
  CHECK(buffers_of_frozen<trained<grouped>>(buffer_role::optimizer_slot) == 0);
  CHECK(buffers_of_frozen<trained<grouped>>(buffer_role::accumulator) == 0);
  const auto kept = weight_layout<half_frozen>::places();
  const auto whole = weight_layout<learning>::places();
  REQUIRE(kept.size() == whole.size());
  CHECK(weight_layout<half_frozen>::shapes == weight_layout<learning>::shapes);
  weights_of<learning> pretrained;
  spread(pretrained);
  weights_of<half_frozen> taken;
  taken.copy_from(pretrained);
  predictor<learning, micro_batch<1>> one(pretrained);
  predictor<half_frozen, micro_batch<1>> other(taken);
  const std::vector<float> x = numbers(features, 3, 1.0F);
  std::vector<float> expected(outputs);
  std::vector<float> found(outputs);
  CHECK(one.predict(x, expected));
  CHECK(other.predict(x, found));
  CHECK(found == expected);
}

TEST_CASE("frozen layers have the same bits however they are cut and shared") {
  const auto expected = train<trained<grouped>>(1);
  CHECK(train<trained<grouped>>(2) == expected);
  CHECK(train<trained<interleaved, 6>>(2) == expected);
  const auto replicated = train<trained<grouped, 3, 2>>(1, 2);
  CHECK(train<trained<grouped, 3, 2>>(4, 2) == replicated);
}

TEST_CASE("frozen layers, block by block") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4}) {
    machine_target machine = ipu2;
    machine.tiles = tiles;
    const tile_check found =
        check_tiles<trained<grouped>>(machine, {.updates = 2, .most_blocks = 8});
    INFO(found.fault);
    CHECK(found.passed());
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
}
