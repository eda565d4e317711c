// SPDX-License-Identifier: MIT
// Constraints of weights: ten updates against float64, what they hold for every layer, the same
// bits however training runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/graph/constraint.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::size_t inputs = 8;
constexpr std::size_t units = 3;
constexpr std::size_t samples = 32;

double wide(float number) {
  return static_cast<double>(number);
}

template <typename OfKernel, typename OfBias>
struct linear
    : model<input<8>, sequential<Dense<3, kernel_constraint<OfKernel>, bias_constraint<OfBias>>>> {
};

template <typename OfKernel, typename OfBias>
struct training
    : compile<linear<OfKernel, OfBias>, micro_batch<8>, gradient_accumulation<4>,
              sequential_schedule, mean_gradients, loss<mean_squared_error>, optimizer<sgd<>>> {};

/// Keras's constraints in float64, of numbers that lie `stride` apart.
template <typename Constraint>
void constrain_exactly(double* w, std::size_t count, std::size_t stride) {
  double square = 0;
  for (std::size_t i = 0; i < count; ++i) {
    square += w[i * stride] * w[i * stride];
  }
  const double norm = std::sqrt(square);
  constexpr constraint_kind kind = Constraint::constraint.constraint;
  for (std::size_t i = 0; i < count; ++i) {
    double& each = w[i * stride];
    if constexpr (kind == constraint_kind::non_negative) {
      each = std::max(each, 0.0);
    } else if constexpr (kind == constraint_kind::max_norm) {
      each *= std::clamp(norm, 0.0, wide(Constraint::constraint.limit)) / (1e-7 + norm);
    } else if constexpr (kind == constraint_kind::min_max_norm) {
      constexpr parameter_rules rules = Constraint::constraint;
      const double between = std::clamp(norm, wide(rules.least), wide(rules.limit));
      each *= (wide(rules.rate) * between + (1 - wide(rules.rate)) * norm) / (1e-7 + norm);
    } else {
      each /= 1e-7 + norm;
    }
  }
}

std::vector<float> all_weights(const parameters& weights) {
  std::vector<float> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t begin = all.size();
    all.resize(begin + static_cast<std::size_t>(weights.at(i).extents.elements()));
    weights.get(i, {all.data() + begin, all.size() - begin});
  }
  return all;
}

/// The gradient of the mean squared error of a linear layer: kernel [inputs, units], then the bias.
std::vector<double> exact_gradient(const std::vector<double>& weights, const std::vector<float>& x,
                                   const std::vector<float>& wanted) {
  std::vector<double> gradient(weights.size(), 0.0);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    for (std::size_t unit = 0; unit < units; ++unit) {
      double made = weights[inputs * units + unit];
      for (std::size_t i = 0; i < inputs; ++i) {
        made += wide(x[sample * inputs + i]) * weights[i * units + unit];
      }
      const double error = made - wide(wanted[sample * units + unit]);
      const double slope = 2 * error / static_cast<double>(units * samples);
      for (std::size_t i = 0; i < inputs; ++i) {
        gradient[i * units + unit] += slope * wide(x[sample * inputs + i]);
      }
      gradient[inputs * units + unit] += slope;
    }
  }
  return gradient;
}

/// Returns how many numbers were compared.
template <typename OfKernel, typename OfBias>
int check_updates() {
  session<training<OfKernel, OfBias>> run({.learning_rate = 0.5F});
  const std::vector<float> features = reference::numbers(samples * inputs, 3, 1.0F);
  const std::vector<float> targets = reference::numbers(samples * units, 4, 1.0F);
  std::vector<double> exact;
  for (const float each : all_weights(run.weights())) {
    exact.push_back(wide(each));
  }
  int compared = 0;
  for (int update = 0; update < 10; ++update) {
    run.train_step(features, targets);
    const std::vector<double> gradient = exact_gradient(exact, features, targets);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      exact[i] -= 0.5 * gradient[i];
    }
    for (std::size_t unit = 0; unit < units; ++unit) {
      constrain_exactly<OfKernel>(exact.data() + unit, inputs, units);
    }
    constrain_exactly<OfBias>(exact.data() + inputs * units, units, 1);
    const std::vector<float> found = all_weights(run.weights());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::abs(wide(found[i]) - exact[i]) < 1e-5);
      ++compared;
    }
  }
  return compared;
}

/// A layer of each kind with all of its parameters constrained.
struct layers
    : model<input<6, 5, 2>,
            pipeline<
                stage<Conv2D<4, 3, relu, kernel_constraint<unit_norm>, bias_constraint<non_neg>>,
                      Reshape<12, 4>,
                      SimpleRNN<5, kernel_constraint<max_norm<0.5F>>,
                                recurrent_constraint<unit_norm>, bias_constraint<max_norm<0.01F>>>>,
                stage<Dense<7, relu, kernel_constraint<non_neg>, kernel_regularizer<l2<>>>,
                      Dense<3>>>> {};

template <typename Schedule, int MicroBatch, int Accumulation, int Replicas, typename... Options>
struct of_layers : compile<layers, micro_batch<MicroBatch>, gradient_accumulation<Accumulation>,
                           Schedule, replicas<Replicas>, loss<sparse_categorical_crossentropy>,
                           mean_gradients, Options...> {};

template <typename Training>
std::uint64_t trained(int threads) {
  session<Training> run({.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0});
  const std::vector<float> features = reference::numbers(samples * 60, 5, 1.0F);
  const std::vector<std::int32_t> labels = reference::labels(samples, 6, 3);
  for (int update = 0; update < 10; ++update) {
    run.train_step(features, labels);
  }
  return run.weights().fingerprint();
}

/// The norm of each unit of a kernel, over all axes but the last; of a bias that of all.
std::vector<double> norms_of(const parameters& weights, std::size_t index) {
  const shape& extents = weights.at(index).extents;
  std::vector<float> values(static_cast<std::size_t>(extents.elements()));
  weights.get(index, values);
  const auto last = static_cast<std::size_t>(extents[extents.rank - 1]);
  std::vector<double> norms(extents.rank > 1 ? last : 1, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    norms[i % norms.size()] += wide(values[i]) * wide(values[i]);
  }
  for (double& norm : norms) {
    norm = std::sqrt(norm);
  }
  return norms;
}

}  // namespace

TEST_CASE("ten updates with constraints are those of float64") {
  int compared = check_updates<max_norm<0.5F>, non_neg>();
  compared += check_updates<unit_norm, max_norm<0.05F>>();
  compared += check_updates<min_max_norm<0.6F, 0.8F, 0.5F>, unit_norm>();
  CHECK(compared == 3 * 10 * static_cast<int>(inputs * units + units));
  std::printf("constraints: compared %d weights\n", compared);
}

TEST_CASE("constraints hold for kernels and biases of every layer after an update") {
  session<of_layers<grouped, 8, 4, 1, optimizer<adam>>> run({.learning_rate = 0.05F});
  const std::vector<float> features = reference::numbers(samples * 60, 5, 1.0F);
  const std::vector<std::int32_t> labels = reference::labels(samples, 6, 3);
  int checked = 0;
  for (int update = 0; update < 5; ++update) {
    run.train_step(features, labels);
    const parameters& weights = run.weights();
    for (const double norm : norms_of(weights, weights.find("conv2d_0/kernel"))) {
      CHECK(norm == Approx(1).epsilon(1e-5));
      ++checked;
    }
    for (const double norm : norms_of(weights, weights.find("simplernn_2/recurrent_kernel"))) {
      CHECK(norm == Approx(1).epsilon(1e-5));
      ++checked;
    }
    for (const double norm : norms_of(weights, weights.find("simplernn_2/kernel"))) {
      CHECK(norm <= 0.5 + 1e-5);
      ++checked;
    }
    CHECK(norms_of(weights, weights.find("simplernn_2/bias"))[0] <= 0.01 + 1e-6);
    std::vector<float> dense(35);
    weights.get("dense_3/kernel", dense);
    CHECK(*std::min_element(dense.begin(), dense.end()) == 0);
    std::vector<float> bias(4);
    weights.get("conv2d_0/bias", bias);
    CHECK(*std::min_element(bias.begin(), bias.end()) >= 0);
  }
  CHECK(checked == 5 * (4 + 5 + 5));
}

TEST_CASE("training with constraints has the same bits however it runs") {
  using clipped = optimizer<lamb, clipnorm<0.5F>, moving_average<0.5F>>;
  const auto expected = trained<of_layers<grouped, 8, 4, 1, clipped>>(1);
  int equal = 0;
  const auto compare = [&](std::uint64_t found) { equal += found == expected ? 1 : 0; };
  compare(trained<of_layers<grouped, 8, 4, 1, clipped>>(4));
  compare(trained<of_layers<interleaved, 8, 4, 1, clipped>>(2));
  compare(trained<of_layers<sequential_schedule, 8, 4, 1, clipped>>(1));
  compare(trained<of_layers<sequential_schedule, 16, 2, 1, clipped>>(3));
  compare(trained<of_layers<sequential_schedule, 32, 1, 1, clipped>>(2));
  CHECK(equal == 5);
  using plain = optimizer<adam>;
  const auto of_two = trained<of_layers<grouped, 4, 4, 2, plain>>(1);
  CHECK(trained<of_layers<grouped, 4, 4, 2, plain>>(4) == of_two);
  CHECK(trained<of_layers<sequential_schedule, 4, 4, 2, plain>>(3) == of_two);
}

TEST_CASE("each block of an update with constraints is what is declared") {
  const tile_check found = check_tiles<of_layers<grouped, 4, 4, 2, optimizer<adam>>>(ipu2);
  CHECK(found.fault == "");
  CHECK(found.count.blocks > 0);
}
