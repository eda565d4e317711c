// SPDX-License-Identifier: MIT
// Gradients of SimpleRNN through time, against central differences of a float64 forward that is
// written down here step by step.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

#include "support/catch2.hpp"
#include "support/reference/error_bound.hpp"
#include "support/reference/numbers.hpp"
#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::size_t steps = 5;
constexpr std::size_t features = 3;
constexpr std::size_t classes = 3;
constexpr std::size_t samples = 4;

using numbers = std::vector<double>;

/// How the network is computed: exactly, or with the magnitudes of all terms and slopes of one,
/// which bounds what a rounding can grow to.
enum class computing { values, magnitudes };

double term(double value, computing how) {
  return how == computing::values ? value : std::abs(value);
}

/// One layer's states for one sample: kernel, recurrent kernel, bias or none.
struct recurrent_layer {
  std::size_t inputs;
  std::size_t units;
  bool has_bias;
  double (*function)(double);

  std::size_t parameters() const { return has_bias ? 3 : 2; }

  numbers run(const numbers* weights, const numbers& x, computing how) const {
    numbers states(steps * units, 0.0);
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t n = 0; n < units; ++n) {
        double sum = has_bias ? term(weights[2][n], how) : 0.0;
        for (std::size_t k = 0; k < inputs; ++k) {
          sum += term(x[t * inputs + k] * weights[0][k * units + n], how);
        }
        for (std::size_t j = 0; t > 0 && j < units; ++j) {
          sum += term(states[(t - 1) * units + j] * weights[1][j * units + n], how);
        }
        states[t * units + n] = how == computing::values ? function(sum) : sum;
      }
    }
    return states;
  }
};

/// Recurrent layers, then a dense layer on the last state or on all of them.
struct network {
  std::vector<recurrent_layer> layers;
  bool on_all_states;

  numbers logits(const std::vector<numbers>& weights, numbers x, computing how) const {
    std::size_t first = 0;
    for (const recurrent_layer& layer : layers) {
      x = layer.run(&weights[first], x, how);
      first += layer.parameters();
    }
    const std::size_t units = layers.back().units;
    if (!on_all_states) {
      x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>((steps - 1) * units));
    }
    numbers made(classes, 0.0);
    for (std::size_t n = 0; n < classes; ++n) {
      made[n] = term(weights[first + 1][n], how);
      for (std::size_t k = 0; k < x.size(); ++k) {
        made[n] += term(x[k] * weights[first][k * classes + n], how);
      }
    }
    return made;
  }
};

struct gradient_counts {
  std::size_t compared = 0;
  double worst = 0;
  double loosest = 0;
};

/// The mean loss of all samples; or, of magnitudes, the largest sum that a gradient can have.
double total(const network& of, const std::vector<numbers>& weights,
             const std::vector<float>& given, const std::vector<std::int32_t>& labels,
             computing how) {
  double sum = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const auto begin = given.begin() + static_cast<std::ptrdiff_t>(sample * steps * features);
    const numbers x(begin, begin + static_cast<std::ptrdiff_t>(steps * features));
    const numbers logits = of.logits(weights, x, how);
    if (how == computing::magnitudes) {
      // A gradient of a logit is at most one.
      sum += logits[0] + logits[1] + logits[2];
    } else {
      double exponentials = 0;
      for (const double logit : logits) {
        exponentials += std::exp(logit);
      }
      sum += std::log(exponentials) - logits[static_cast<std::size_t>(labels[sample])];
    }
  }
  return sum / static_cast<double>(samples);
}

double difference(const network& of, std::vector<numbers>& weights, std::size_t parameter,
                  std::size_t element, const std::vector<float>& given,
                  const std::vector<std::int32_t>& labels, computing how) {
  constexpr double step = 0x1p-17;
  double& value = weights[parameter][element];
  const double kept = value;
  value = kept + step;
  const double above = total(of, weights, given, labels, how);
  value = kept - step;
  const double below = total(of, weights, given, labels, how);
  value = kept;
  return (above - below) / (2 * step);
}

template <typename Model>
struct step_of : compile<Model, micro_batch<2>, gradient_accumulation<2>, mean_gradients,
                         loss<sparse_categorical_crossentropy>> {};

template <typename Compiled>
void check_network(const char* name, const network& of) {
  session<Compiled> run{{.learning_rate = tests::gradient_rate}};
  const std::vector<float> given = reference::numbers(samples * steps * features, 11, 1.5F);
  const std::vector<std::int32_t> labels = reference::labels(samples, 13, classes);
  std::vector<numbers> weights;
  std::vector<numbers> sizes;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto count = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    const std::vector<float> values = reference::numbers(count, 71 + i, 0.4F);
    run.weights().set(i, values);
    weights.emplace_back(values.begin(), values.end());
    sizes.emplace_back();
    for (const float value : values) {
      sizes.back().push_back(std::abs(static_cast<double>(value)));
    }
  }
  run.train_step(given, labels);
  // Of each number: the chains that it goes through, in all steps and layers, there (inputs, units,
  // bias, activation) and back (units, derivative), and the sum over samples and steps.
  const std::size_t chains =
      of.layers.size() * steps * (features + 4 + 1 + 12 + 4 + 40) + samples * steps;
  gradient_counts found;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    INFO(name << ": " << run.weights().name(i));
    std::vector<float> after(weights[i].size());
    run.weights().get(i, after);
    double largest = 0;
    double loosest = 0;
    for (std::size_t j = 0; j < after.size(); ++j) {
      const double got = (weights[i][j] - static_cast<double>(after[j])) /
                         static_cast<double>(tests::gradient_rate);
      const double expected = difference(of, weights, i, j, given, labels, computing::values);
      const double size = difference(of, sizes, i, j, given, labels, computing::magnitudes);
      const double tolerance = reference::roundings(chains) * size + 0x1p-23 * std::abs(expected) +
                               tests::difference_error;
      CHECK(std::abs(got - expected) <= tolerance);
      found.worst = std::max(found.worst, std::abs(got - expected) / tolerance);
      largest = std::max(largest, std::abs(expected));
      loosest = std::max(loosest, tolerance);
      ++found.compared;
    }
    CHECK(largest > 0);
    CHECK(loosest < 0.01 * largest);
    found.loosest = std::max(found.loosest, loosest / largest);
  }
  CHECK(found.compared > 0);
  std::printf(
      "gradients of %s: compared %zu elements; tolerance at most %.0e of the largest, worst error "
      "%.1f %% of its tolerance\n",
      name, found.compared, found.loosest, 100 * found.worst);
}

double relu_of(double x) {
  return x > 0 ? x : 0;
}

double tanh_of(double x) {
  return std::tanh(x);
}

TEST_CASE("gradients of a SimpleRNN whose last state is read") {
  check_network<step_of<model<input<5, 3>, sequential<SimpleRNN<4>, Dense<3>>>>>(
      "SimpleRNN", {{{3, 4, true, tanh_of}}, false});
}

TEST_CASE("gradients of a SimpleRNN without a bias, all of whose states are read") {
  check_network<step_of<
      model<input<5, 3>, sequential<SimpleRNN<4, relu, return_sequences<true>, use_bias<false>>,
                                    Flatten, Dense<3>>>>>("SimpleRNN of sequences",
                                                          {{{3, 4, false, relu_of}}, true});
}

TEST_CASE("gradients of SimpleRNNs one behind the other") {
  check_network<step_of<model<
      input<5, 3>, sequential<SimpleRNN<3, return_sequences<true>>, SimpleRNN<2>, Dense<3>>>>>(
      "two SimpleRNNs", {{{3, 3, true, tanh_of}, {3, 2, true, tanh_of}}, false});
}

}  // namespace
