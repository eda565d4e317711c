// SPDX-License-Identifier: MIT
// Compares the gradients of a session with central differences of the float64 reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"
#include "support/reference/error_bound.hpp"
#include "support/reference/numbers.hpp"
#include "support/reference/training.hpp"

namespace ipu_dsl::tests {

/// With this learning rate w - rate * g is about -rate * g, so that (before - after) / rate is the
/// gradient up to its own last rounding, and w contributes 2^-20 of its.
inline constexpr float gradient_rate = 0x1p20F;

/// What a case is about, and what it found.
struct gradient_case {
  std::string name;
  reference::chain network;
  reference::score_kind scores = reference::score_kind::logits;
  std::size_t inputs = 0;
  int classes = 0;
  std::size_t micro_batch = 0;
  std::size_t accumulated = 1;
  float input_range = 1.5F;
  std::vector<float> features = {};
  std::vector<std::int32_t> labels = {};
  std::size_t compared = 0;
  double worst = 0;  ///< largest error as a share of its tolerance
};

/// Weights of size 1.5 / max(inputs, units), so that sums of magnitudes stay near 1 and errors do
/// not grow from layer to layer; biases up to 0.3.
inline void set_weights(gradient_case& about, parameters& weights) {
  const std::vector<reference::parameter*> wanted = reference::parameters_of(about.network);
  REQUIRE(weights.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const shape extents = weights.at(i).extents;
    const int largest = extents.rank == 2 ? std::max(extents[0], extents[1]) : 5;
    const std::vector<float> values = reference::numbers(wanted[i]->values.size(), 71 + i,
                                                         1.5F / static_cast<float>(largest));
    weights.set(i, values);
    std::copy(values.begin(), values.end(), wanted[i]->values.begin());
  }
}

/// The samples of one update.
inline void make_samples(gradient_case& about) {
  const std::size_t samples = about.micro_batch * about.accumulated;
  about.features = reference::numbers(samples * about.inputs, 11, about.input_range);
  about.labels = reference::labels(samples, 13, about.classes);
}

/// The sum over the accumulated micro-batches of their mean losses, which is what is descended.
/// Scale layers get `masks[micro-batch]` if there are any.
inline double total_loss(gradient_case& about, bool with_gradient,
                         const std::function<void(std::size_t)>& before_micro_batch) {
  double total = 0;
  const std::size_t elements = about.micro_batch * about.inputs;
  for (std::size_t i = 0; i < about.accumulated; ++i) {
    before_micro_batch(i);
    const std::span<const float> rows(about.features.data() + i * elements, elements);
    const std::span<const std::int32_t> labels(about.labels.data() + i * about.micro_batch,
                                               about.micro_batch);
    const reference::matrix features = reference::widened(rows, about.inputs);
    if (with_gradient) {
      total += reference::accumulate(about.network, features, labels, about.scores);
    } else {
      total += reference::cross_entropy(about.scores,
                                        reference::forward(about.network, features), labels);
    }
  }
  return total;
}

/// The smallest score that has a gradient through Keras's clipping; 1 for logits.
inline double smallest_score(gradient_case& about) {
  double smallest = 1;
  if (about.scores == reference::score_kind::clipped_probabilities) {
    const reference::matrix output = reference::forward(
        about.network, reference::widened(about.features, about.inputs));
    for (const double value : output.values) {
      smallest = value > reference::smallest_probability ? std::min(smallest, value) : smallest;
    }
  }
  return smallest;
}

/// The largest error of each parameter's gradient in float32; see error_bound.hpp.
inline std::vector<double> gradient_tolerances(gradient_case& about) {
  const double classes = about.classes;
  reference::error_bound bounds(static_cast<double>(about.micro_batch * about.accumulated),
                                static_cast<double>(about.micro_batch));
  const reference::bound output =
      bounds.forward(about.network, {static_cast<double>(about.input_range), 0});
  const reference::bound d =
      about.scores == reference::score_kind::logits
          ? bounds.loss_gradient(output, classes)
          : bounds.probability_loss_gradient(output, smallest_score(about), classes);
  bounds.backward(about.network, d);
  std::reverse(bounds.errors.begin(), bounds.errors.end());
  return bounds.errors;
}

/// Compares the library's gradients, and those of the reference's own backward, with central
/// differences (f(x + h) - f(x - h)) / 2h in float64, h = 2^-17: with third derivatives up to 100
/// and losses up to 20 they are off by h^2 / 6 * 100 = 1e-9 and 20 * 2^-53 / h = 3e-10.
inline void compare_gradients(gradient_case& about, std::span<const std::vector<float>> before,
                              const parameters& weights,
                              const std::function<void(std::size_t)>& before_micro_batch) {
  constexpr double step = 0x1p-17;
  constexpr double difference_error = 2e-9;
  const std::vector<reference::parameter*> wanted = reference::parameters_of(about.network);
  const std::vector<double> tolerances = gradient_tolerances(about);
  REQUIRE(tolerances.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<float> after(before[i].size());
    weights.get(i, after);
    double largest = 0;
    double tightest = 0;
    for (std::size_t j = 0; j < after.size(); ++j) {
      double& value = wanted[i]->values[j];
      const double kept = value;
      value = kept + step;
      const double above = total_loss(about, false, before_micro_batch);
      value = kept - step;
      const double below = total_loss(about, false, before_micro_batch);
      value = kept;
      const double expected = (above - below) / (2 * step);
      const double rate = static_cast<double>(gradient_rate);
      const double got =
          (static_cast<double>(before[i][j]) - static_cast<double>(after[j])) / rate;
      const double tolerance = tolerances[i] + difference_error +
                               0x1p-23 * (std::abs(expected) + std::abs(kept) / rate);
      INFO(about.name << ": " << weights.name(i) << "[" << j << "]");
      CHECK(std::abs(got - expected) <= tolerance);
      CHECK(std::abs(wanted[i]->gradient[j] - expected) <= difference_error);
      about.worst = std::max(about.worst, std::abs(got - expected) / tolerance);
      largest = std::max(largest, std::abs(expected));
      tightest = std::max(tightest, tolerance);
      ++about.compared;
    }
    // A tolerance that lets everything through would prove nothing.
    INFO(about.name << ": " << weights.name(i) << " has gradients up to " << largest);
    CHECK(largest > 0);
    CHECK(tightest < 0.02 * largest);
  }
}

/// Runs one case: a session of `Compiled` with plain descent takes one step from the case's
/// weights. `before_micro_batch(i)` may change the reference's masks.
template <compiled_model Compiled>
void check_gradients(
    gradient_case about,
    const std::function<void(reference::chain&, std::size_t)>& set_masks = {}) {
  session<Compiled> run{{.learning_rate = gradient_rate}};
  const auto before_micro_batch = [&](std::size_t micro_batch) {
    if (set_masks) {
      set_masks(about.network, micro_batch);
    }
  };
  make_samples(about);
  set_weights(about, run.weights());
  std::vector<std::vector<float>> before;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto elements = run.weights().at(i).extents.elements();
    before.emplace_back(static_cast<std::size_t>(elements));
    run.weights().get(i, before.back());
  }
  const double loss = run.train_step(about.features, about.labels);
  const double expected = total_loss(about, true, before_micro_batch);
  CHECK(std::abs(loss * static_cast<double>(about.accumulated) - expected) <= 1e-5 * expected);
  compare_gradients(about, before, run.weights(), before_micro_batch);
  CHECK(about.compared > 0);
  std::printf("gradients of %s: compared %zu elements, worst error %.0f %% of its tolerance\n",
              about.name.c_str(), about.compared, 100 * about.worst);
}

}  // namespace ipu_dsl::tests
