// SPDX-License-Identifier: MIT
// Penalties on what layers put out: ten updates and their losses against float64, the loss of
// evaluate, the same bits however training runs.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/activity_penalty.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr std::size_t inputs = 6;
constexpr std::size_t hidden = 5;
constexpr std::size_t outputs = 3;
constexpr std::size_t samples = 32;

struct two_layers
    : model<input<6>,
            pipeline<stage<named<"hidden", Dense<5, hyperbolic_tangent,
                                                 activity_regularizer<l1_l2<0.02F, 0.05F>>,
                                                 bias_init<constant<0.5F>>>>>,
                     stage<named<"last", Dense<3, activity_regularizer<l2<0.1F>>>>>>> {};

template <typename Reduction, typename Schedule, int MicroBatch, int Replicas>
struct training
    : compile<two_layers, micro_batch<MicroBatch>,
              gradient_accumulation<32 / MicroBatch / Replicas>, Schedule, replicas<Replicas>,
              Reduction, loss<mean_squared_error>, metrics<mean_squared_error>, optimizer<sgd<>>> {
};

double wide(float number) {
  return static_cast<double>(number);
}

double sign_of(double number) {
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

struct exact_losses {
  double whole;       ///< with the penalties
  double of_targets;  ///< without
};

/// The same in float64: kernel and bias of the first layer, then of the second.
struct exact_layers {
  std::vector<double> weights;

  static constexpr std::size_t first_bias = inputs * hidden;
  static constexpr std::size_t second = first_bias + hidden;
  static constexpr std::size_t second_bias = second + hidden * outputs;

  /// The mean losses; moves the weights by `rate` times the gradient.
  exact_losses step(const std::vector<float>& x, const std::vector<float>& wanted, double rate) {
    std::vector<double> gradient(weights.size(), 0.0);
    exact_losses found{0, 0};
    const double share = 1 / static_cast<double>(samples);
    for (std::size_t sample = 0; sample < samples; ++sample) {
      double made[hidden];
      double back[hidden];
      for (std::size_t unit = 0; unit < hidden; ++unit) {
        double sum = weights[first_bias + unit];
        for (std::size_t i = 0; i < inputs; ++i) {
          sum += wide(x[sample * inputs + i]) * weights[i * hidden + unit];
        }
        made[unit] = std::tanh(sum);
        found.whole +=
            share * (wide(0.02F) * std::abs(made[unit]) + wide(0.05F) * made[unit] * made[unit]);
        back[unit] = share * (wide(0.02F) * sign_of(made[unit]) + 2 * wide(0.05F) * made[unit]);
      }
      for (std::size_t unit = 0; unit < outputs; ++unit) {
        double sum = weights[second_bias + unit];
        for (std::size_t i = 0; i < hidden; ++i) {
          sum += made[i] * weights[second + i * outputs + unit];
        }
        const double error = sum - wide(wanted[sample * outputs + unit]);
        const double of_targets = share * error * error / static_cast<double>(outputs);
        found.of_targets += of_targets;
        found.whole += of_targets + share * wide(0.1F) * sum * sum;
        const double slope =
            share * (2 * error / static_cast<double>(outputs) + 2 * wide(0.1F) * sum);
        gradient[second_bias + unit] += slope;
        for (std::size_t i = 0; i < hidden; ++i) {
          gradient[second + i * outputs + unit] += slope * made[i];
          back[i] += slope * weights[second + i * outputs + unit];
        }
      }
      for (std::size_t unit = 0; unit < hidden; ++unit) {
        const double slope = back[unit] * (1 - made[unit] * made[unit]);
        gradient[first_bias + unit] += slope;
        for (std::size_t i = 0; i < inputs; ++i) {
          gradient[i * hidden + unit] += slope * wide(x[sample * inputs + i]);
        }
      }
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] -= rate * gradient[i];
    }
    return found;
  }
};

std::vector<float> all_weights(const parameters& weights) {
  std::vector<float> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t begin = all.size();
    all.resize(begin + static_cast<std::size_t>(weights.at(i).extents.elements()));
    weights.get(i, {all.data() + begin, all.size() - begin});
  }
  return all;
}

struct float_data {
  std::vector<float> features = reference::numbers(samples * inputs, 3, 1.0F);
  std::vector<float> targets = reference::numbers(samples * outputs, 4, 1.0F);
};

/// Returns how many weights were compared. `scale`: of how many mean losses gradients are the sum.
template <typename Training>
int check_updates(double scale) {
  session<Training> run({.learning_rate = 0.05F});
  const float_data data;
  const paired_dataset<shape{inputs}, shape{outputs}> whole(data.features, data.targets);
  exact_layers exact;
  for (const float each : all_weights(run.weights())) {
    exact.weights.push_back(wide(each));
  }
  int compared = 0;
  for (int update = 0; update < 10; ++update) {
    const evaluation before = run.evaluate(whole);
    const double loss = run.train_step(data.features, data.targets);
    const exact_losses expected = exact.step(data.features, data.targets, wide(0.05F) * scale);
    CHECK(loss == Approx(expected.whole).epsilon(1e-5));
    CHECK(before.loss == Approx(expected.whole).epsilon(1e-5));
    CHECK(before.metrics["mean_squared_error"] == Approx(expected.of_targets).epsilon(1e-5));
    const std::vector<float> found = all_weights(run.weights());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::abs(wide(found[i]) - exact.weights[i]) < 1e-5);
      ++compared;
    }
  }
  return compared;
}

/// Layers of each kind, one of which has its activation in a node of its own.
template <typename Activation, typename Penalty>
struct layers
    : model<input<6, 5, 2>, pipeline<stage<Conv2D<4, 3, Activation, Penalty>, Reshape<12, 4>,
                                           SimpleRNN<5, return_sequences<true>, Penalty>, Flatten>,
                                     stage<Dense<7, swish, Penalty>, Dense<3, softmax, Penalty>>>> {
};

using penalised = layers<relu, activity_regularizer<l1_l2<0.03F, 0.02F>>>;

/// Without kinks, across which differences would be taken.
using smooth = layers<hyperbolic_tangent, activity_regularizer<l2<0.5F>>>;

template <typename Model, typename Schedule, int MicroBatch, int Accumulation, int Replicas,
          typename... Options>
struct of_layers : compile<Model, micro_batch<MicroBatch>, gradient_accumulation<Accumulation>,
                           Schedule, replicas<Replicas>, mean_gradients,
                           loss<sparse_categorical_crossentropy>, Options...> {};

struct layer_data {
  std::vector<float> features = reference::numbers(samples * 60, 5, 1.0F);
  std::vector<std::int32_t> labels = reference::labels(samples, 6, 3);
};

template <typename Training>
std::uint64_t trained(int threads) {
  session<Training> run({.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0});
  const layer_data data;
  for (int update = 0; update < 10; ++update) {
    run.train_step(data.features, data.labels);
  }
  return run.weights().fingerprint();
}

/// Of every fifth number of each parameter. Returns how many were compared.
int check_central_differences() {
  using whole = of_layers<smooth, sequential_schedule, 8, 4, 1, optimizer<sgd<>>>;
  session<whole> run({.learning_rate = 1});
  const layer_data data;
  const labelled_dataset<shape{6, 5, 2}, 3, float> all(data.features, data.labels);
  int compared = 0;
  std::vector<std::vector<float>> before;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    before.emplace_back(static_cast<std::size_t>(run.weights().at(i).extents.elements()));
    run.weights().get(i, before.back());
  }
  run.train_step(data.features, data.labels);
  session<whole> other;
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::vector<float> after(before[i].size());
    run.weights().get(i, after);
    for (std::size_t j = 0; j < after.size(); j += 5) {
      const float width = 0x1p-8F;
      const auto loss_at = [&](float moved) {
        std::vector<float> changed = before[i];
        changed[j] += moved;
        other.weights().set(i, changed);
        const double found = other.evaluate(all).loss;
        other.weights().set(i, before[i]);
        return found;
      };
      const double slope = (loss_at(width) - loss_at(-width)) / (2 * wide(width));
      CHECK(wide(before[i][j]) - wide(after[j]) == Approx(slope).epsilon(1e-3).margin(2e-4));
      ++compared;
    }
  }
  return compared;
}

/// One Dense is called twice, and what both calls put out counts.
template <typename Regularizer>
struct shared_twice {
  static constexpr symbolic_tensor build(functional_builder& build) {
    auto both = build.shared<Dense<4, activity_regularizer<Regularizer>>>("both");
    return build.layer<Dense<2>>("last", both(both(build.input({4}))));
  }
};

struct automatic
    : model<input<6>,
            auto_pipeline<sequential<Dense<5, activity_regularizer<l1<0.5F>>>, Dense<4>, Dense<3>>,
                          2>> {};

}  // namespace

TEST_CASE("ten updates with penalties on outputs, and their losses, are those of float64") {
  int compared = check_updates<training<mean_gradients, grouped, 8, 1>>(1);
  compared += check_updates<training<sum_gradients, grouped, 8, 1>>(4);
  compared += check_updates<training<mean_gradients, sequential_schedule, 8, 2>>(1);
  CHECK(compared == 3 * 10 * static_cast<int>(exact_layers::second_bias + outputs));
  std::printf("penalties of outputs: compared %d weights\n", compared);
}

TEST_CASE("gradients with penalties on outputs are central differences of the loss of evaluate") {
  CHECK(check_central_differences() > 50);
}

TEST_CASE("training with penalties on outputs has the same bits however it runs") {
  using plain = optimizer<adam>;
  int equal = 0;
  const auto expected = trained<of_layers<penalised, grouped, 8, 4, 1, plain>>(1);
  const auto compare = [&](std::uint64_t found) { equal += found == expected ? 1 : 0; };
  compare(trained<of_layers<penalised, grouped, 8, 4, 1, plain>>(4));
  compare(trained<of_layers<penalised, interleaved, 8, 4, 1, plain>>(2));
  compare(trained<of_layers<penalised, sequential_schedule, 32, 1, 1, plain>>(2));
  CHECK(equal == 3);
}

TEST_CASE("what every call of a shared layer puts out counts") {
  using judged = compile<shared_twice<l2<0.5F>>, micro_batch<8>, loss<mean_squared_error>>;
  static_assert(planned_graph_of<judged>.view().nodes.size() == 6);
}

TEST_CASE("a penalty stands in the stage of its layer where the compiler cuts a pipeline") {
  using cut = compile<automatic, micro_batch<8>, gradient_accumulation<4>, grouped,
                      loss<mean_squared_error>, optimizer<sgd<>>>;
  constexpr graph_view model = planned_graph_of<cut>.view();
  int found = 0;
  for (const node& here : model.nodes) {
    if (here.rule == &activity_penalty_family) {
      CHECK(here.stage == model.stage_of(model.input_of(here, 0)));
      ++found;
    }
  }
  CHECK(found == 1);
}

TEST_CASE("a model without a loss ignores penalties on outputs") {
  using without = compile<two_layers, micro_batch<8>, sequential_schedule>;
  static_assert(planned_graph_of<without>.view().nodes.size() == 2);
}

TEST_CASE("each block of an update with penalties on outputs is what is declared") {
  const tile_check found =
      check_tiles<of_layers<penalised, grouped, 4, 4, 1, optimizer<sgd<momentum>>>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}
