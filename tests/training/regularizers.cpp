// SPDX-License-Identifier: MIT
// Penalties on weights: ten updates and their losses against float64, gradients by central
// differences, the same bits however training runs.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/graph/penalty.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
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

constexpr std::size_t inputs = 8;
constexpr std::size_t units = 3;
constexpr std::size_t samples = 32;

struct linear
    : model<input<8>, sequential<Dense<3, kernel_regularizer<l1_l2<0.02F, 0.05F>>,
                                       bias_init<constant<0.5F>>, bias_regularizer<l2<0.1F>>>>> {};

template <typename Reduction, int Replicas>
struct training
    : compile<linear, micro_batch<8>, gradient_accumulation<4 / Replicas>, sequential_schedule,
              replicas<Replicas>, Reduction, loss<mean_squared_error>, optimizer<sgd<>>> {};

double wide(float number) {
  return static_cast<double>(number);
}

/// The same in float64: kernel [inputs, units], then the bias.
struct exact_linear {
  std::vector<double> weights;

  double penalty() const {
    double sum = 0;
    for (std::size_t i = 0; i < inputs * units; ++i) {
      sum += wide(0.02F) * std::abs(weights[i]) + wide(0.05F) * weights[i] * weights[i];
    }
    for (std::size_t i = inputs * units; i < weights.size(); ++i) {
      sum += wide(0.1F) * weights[i] * weights[i];
    }
    return sum;
  }

  /// The mean loss with its penalty; moves the weights by `rate` times `scale` of its gradient.
  double step(const std::vector<float>& x, const std::vector<float>& wanted, double rate,
              double scale) {
    std::vector<double> gradient(weights.size(), 0.0);
    double loss = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      for (std::size_t unit = 0; unit < units; ++unit) {
        double made = weights[inputs * units + unit];
        for (std::size_t i = 0; i < inputs; ++i) {
          made += wide(x[sample * inputs + i]) * weights[i * units + unit];
        }
        const double error = made - wide(wanted[sample * units + unit]);
        loss += error * error / static_cast<double>(units * samples);
        const double slope = 2 * error / static_cast<double>(units * samples);
        for (std::size_t i = 0; i < inputs; ++i) {
          gradient[i * units + unit] += slope * wide(x[sample * inputs + i]);
        }
        gradient[inputs * units + unit] += slope;
      }
    }
    loss += penalty();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const bool of_kernel = i < inputs * units;
      const double sign = weights[i] > 0 ? 1 : weights[i] < 0 ? -1 : 0;
      gradient[i] += of_kernel ? wide(0.02F) * sign + 2 * wide(0.05F) * weights[i]
                               : 2 * wide(0.1F) * weights[i];
      weights[i] -= rate * scale * gradient[i];
    }
    return loss;
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

struct linear_data {
  std::vector<float> features = reference::numbers(samples * inputs, 3, 1.0F);
  std::vector<float> targets = reference::numbers(samples * units, 4, 1.0F);
};

/// Returns how many numbers were compared. The sum of gradients is that of four micro-batches.
template <typename Reduction, int Replicas>
int check_updates(double scale) {
  session<training<Reduction, Replicas>> run({.learning_rate = 0.05F});
  const linear_data data;
  exact_linear exact;
  for (const float each : all_weights(run.weights())) {
    exact.weights.push_back(wide(each));
  }
  int compared = 0;
  for (int update = 0; update < 10; ++update) {
    const double loss = run.train_step(data.features, data.targets);
    CHECK(loss ==
          Approx(exact.step(data.features, data.targets, wide(0.05F), scale)).epsilon(1e-5));
    const std::vector<float> found = all_weights(run.weights());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::abs(wide(found[i]) - exact.weights[i]) < 1e-5);
      ++compared;
    }
  }
  return compared;
}

/// A layer of each kind with all of its parameters penalised, and the same without.
template <typename... Options>
struct layers
    : model<
          input<6, 5, 2>,
          pipeline<stage<Conv2D<4, 3, relu, Options...>, Reshape<12, 4>, SimpleRNN<5, Options...>>,
                   stage<Dense<7, relu, Options...>, Dense<3>>>> {};

template <typename Model, typename Schedule, int MicroBatch, int Accumulation, int Replicas,
          typename... Options>
struct of_layers
    : compile<Model, micro_batch<MicroBatch>, gradient_accumulation<Accumulation>, Schedule,
              replicas<Replicas>, loss<sparse_categorical_crossentropy>, Options...> {};

using penalised = layers<kernel_regularizer<l1_l2<0.03F, 0.02F>>, bias_init<constant<0.25F>>,
                         bias_regularizer<l1<0.02F>>>;
using free_of_penalties = layers<bias_init<constant<0.25F>>>;

struct layer_data {
  std::vector<float> features = reference::numbers(samples * 60, 5, 1.0F);
  std::vector<std::int32_t> labels = reference::labels(samples, 6, 3);
};

template <typename Training>
std::vector<float> after_one_step() {
  session<Training> run({.learning_rate = 0.25F});
  const layer_data data;
  run.train_step(data.features, data.labels);
  return all_weights(run.weights());
}

/// What the penalty alone moves in one update, of the parameters that have one.
template <typename... Options>
int check_moved(double scale) {
  using with_penalties = of_layers<penalised, grouped, 8, 4, 1, optimizer<sgd<>>, Options...>;
  session<with_penalties> begun;
  const std::vector<float> before = all_weights(begun.weights());
  const std::vector<float> found = after_one_step<with_penalties>();
  const std::vector<float> without = after_one_step<
      of_layers<free_of_penalties, grouped, 8, 4, 1, optimizer<sgd<>>, Options...>>();
  int compared = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < begun.weights().size(); ++i) {
    const std::string name = begun.weights().name(i);
    const auto count = static_cast<std::size_t>(begun.weights().at(i).extents.elements());
    const bool of_kernel = name.ends_with("/kernel");
    const bool has = !name.starts_with("dense_4") && !name.ends_with("recurrent_kernel");
    for (std::size_t j = first; j < first + count; ++j) {
      const double w = wide(before[j]);
      const double sign = w > 0 ? 1 : w < 0 ? -1 : 0;
      const double slope = !has        ? 0
                           : of_kernel ? wide(0.03F) * sign + 2 * wide(0.02F) * w
                                       : wide(0.02F) * sign;
      CHECK(std::abs(wide(found[j]) - (wide(without[j]) - 0.25 * scale * slope)) < 2e-6 * scale);
      compared += has ? 1 : 0;
    }
    first += count;
  }
  return compared;
}

/// One Dense is called twice, so that its gradient is that of two uses.
template <typename Regularizer>
struct shared_twice {
  static constexpr symbolic_tensor build(functional_builder& build) {
    auto both = build.shared<Dense<4, kernel_regularizer<Regularizer>>>("both");
    return build.layer<Dense<2>>("last", both(both(build.input({4}))));
  }
};

template <typename Regularizer>
struct sharing : compile<shared_twice<Regularizer>, micro_batch<8>, gradient_accumulation<4>,
                         mean_gradients, loss<mean_squared_error>, optimizer<sgd<>>> {};

template <typename Training>
std::uint64_t trained(int threads) {
  session<Training> run({.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0});
  const layer_data data;
  for (int update = 0; update < 10; ++update) {
    run.train_step(data.features, data.labels);
  }
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("ten updates with penalties, and their losses, are those of float64") {
  int compared = check_updates<mean_gradients, 1>(1);
  compared += check_updates<sum_gradients, 1>(4);
  compared += check_updates<mean_gradients, 2>(1);
  compared += check_updates<sum_gradients, 2>(4);
  CHECK(compared == 4 * 10 * static_cast<int>(inputs * units + units));
  std::printf("penalties: compared %d weights\n", compared);
}

TEST_CASE("gradients with penalties are the central differences of the loss of evaluate") {
  session<training<mean_gradients, 1>> run({.learning_rate = 1});
  const linear_data data;
  const std::size_t kernel = run.weights().find("dense_0/kernel");
  std::vector<float> before(inputs * units);
  std::vector<float> after(before.size());
  run.weights().get(kernel, before);
  const auto loss_at = [&](std::size_t number, float moved) {
    session<training<mean_gradients, 1>> other;
    std::vector<float> changed = before;
    changed[number] += moved;
    other.weights().set(kernel, changed);
    const paired_dataset<shape{8}, shape{3}> whole(data.features, data.targets);
    return other.evaluate(whole).loss;
  };
  run.train_step(data.features, data.targets);
  run.weights().get(kernel, after);
  int compared = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const float width = 0x1p-6F;
    if (std::abs(before[i]) > width) {
      const double slope = (loss_at(i, width) - loss_at(i, -width)) / (2 * wide(width));
      CHECK(wide(before[i]) - wide(after[i]) == Approx(slope).epsilon(1e-3).margin(1e-4));
      ++compared;
    }
  }
  CHECK(compared > 15);
}

TEST_CASE("kernels and biases of every layer move by their penalties, and no others") {
  const int compared = check_moved<mean_gradients>(1) + check_moved<sum_gradients>(4);
  CHECK(compared == 2 * (3 * 3 * 2 * 4 + 4 + 4 * 5 + 5 + 5 * 7 + 7));
  std::printf("penalties: compared the moves of %d weights\n", compared);
}

TEST_CASE("training with penalties has the same bits however it runs") {
  using clipped = optimizer<adam, clipnorm<0.5F>, moving_average<0.5F>>;
  int equal = 0;
  const auto expected = trained<of_layers<penalised, grouped, 8, 4, 1, mean_gradients, clipped>>(1);
  const auto compare = [&](std::uint64_t found) { equal += found == expected ? 1 : 0; };
  compare(trained<of_layers<penalised, grouped, 8, 4, 1, mean_gradients, clipped>>(4));
  compare(trained<of_layers<penalised, interleaved, 8, 4, 1, mean_gradients, clipped>>(2));
  compare(trained<of_layers<penalised, sequential_schedule, 8, 4, 1, mean_gradients, clipped>>(1));
  compare(trained<of_layers<penalised, sequential_schedule, 16, 2, 1, mean_gradients, clipped>>(1));
  compare(trained<of_layers<penalised, sequential_schedule, 32, 1, 1, mean_gradients, clipped>>(2));
  CHECK(equal == 5);
  using plain = optimizer<adam>;
  const auto of_two = trained<of_layers<penalised, grouped, 4, 4, 2, mean_gradients, plain>>(1);
  CHECK(trained<of_layers<penalised, grouped, 4, 4, 2, mean_gradients, plain>>(4) == of_two);
  CHECK(trained<of_layers<penalised, sequential_schedule, 4, 4, 2, mean_gradients, plain>>(3) ==
        of_two);
}

TEST_CASE("the penalty of a shared layer counts once") {
  session<sharing<l2<0.5F>>> run({.learning_rate = 0});
  session<sharing<l2<1.0F>>> doubled({.learning_rate = 0});
  const std::vector<float> features = reference::numbers(samples * 4, 7, 1.0F);
  const std::vector<float> targets = reference::numbers(samples * 2, 8, 1.0F);
  std::vector<float> kernel(16);
  run.weights().get("both/kernel", kernel);
  double squares = 0;
  for (const float each : kernel) {
    squares += wide(each) * wide(each);
  }
  CHECK(doubled.train_step(features, targets) - run.train_step(features, targets) ==
        Approx(0.5 * squares).epsilon(1e-6));
  session<sharing<l2<0.5F>>> moved({.learning_rate = 0.5F});
  session<sharing<l2<1.0F>>> moved_further({.learning_rate = 0.5F});
  moved.train_step(features, targets);
  moved_further.train_step(features, targets);
  std::vector<float> found(16);
  std::vector<float> further(16);
  moved.weights().get("both/kernel", found);
  moved_further.weights().get("both/kernel", further);
  int compared = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    CHECK(std::abs(wide(found[i]) - wide(further[i]) - 0.5 * wide(kernel[i])) < 1e-6);
    ++compared;
  }
  CHECK(compared == 16);
}

TEST_CASE("each block of an update with penalties is what is declared") {
  const tile_check found =
      check_tiles<of_layers<penalised, grouped, 4, 4, 2, optimizer<sgd<momentum>>>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}
