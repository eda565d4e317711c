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
  double worst = 0;    ///< largest error as a share of its tolerance
  double loosest = 0;  ///< largest tolerance as a share of the parameter's largest gradient
};

/// Called before the reference runs a micro-batch.
using before_micro_batch = std::function<void(std::size_t micro_batch)>;

/// Weights of size 1.5 / max(inputs, units), so that sums of magnitudes stay near 1 and errors do
/// not grow from layer to layer; biases up to 0.3.
inline void set_weights(gradient_case& about, parameters& weights) {
  const std::vector<reference::parameter*> wanted = reference::parameters_of(about.network);
  REQUIRE(weights.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const shape extents = weights.at(i).extents;
    const int last = extents[extents.rank - 1];
    const int before = static_cast<int>(extents.elements()) / last;
    const int largest = extents.rank > 1 ? std::max(before, last) : 5;
    const std::vector<float> values =
        reference::numbers(wanted[i]->values.size(), 71 + i, 1.5F / static_cast<float>(largest));
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

/// The rows of a micro-batch.
inline reference::matrix features_of(const gradient_case& about, std::size_t micro_batch) {
  const std::size_t elements = about.micro_batch * about.inputs;
  const std::span<const float> all(about.features);
  return reference::widened(all.subspan(micro_batch * elements, elements), about.inputs);
}

inline std::span<const std::int32_t> labels_of(const gradient_case& about,
                                               std::size_t micro_batch) {
  const std::span<const std::int32_t> all(about.labels);
  return all.subspan(micro_batch * about.micro_batch, about.micro_batch);
}

/// The sum over the accumulated micro-batches of their mean losses, which is what is descended.
inline double total_loss(gradient_case& about, const before_micro_batch& prepare) {
  double total = 0;
  for (std::size_t i = 0; i < about.accumulated; ++i) {
    prepare(i);
    total += reference::cross_entropy(about.scores,
                                      reference::forward(about.network, features_of(about, i)),
                                      labels_of(about, i));
  }
  return total;
}

/// The largest error in float32 of each parameter's gradient; see error_bound.hpp.
inline std::vector<std::vector<double>> gradient_tolerances(gradient_case& about,
                                                            const before_micro_batch& prepare) {
  std::vector<std::vector<double>> total;
  for (std::size_t i = 0; i < about.accumulated; ++i) {
    prepare(i);
    reference::error_bound bounds(about.micro_batch * about.accumulated);
    reference::matrix features = features_of(about, i);
    reference::matrix exact(features.rows, features.columns);
    const reference::rounded output = bounds.forward(about.network, {features, exact});
    bounds.backward(about.network,
                    about.scores == reference::score_kind::logits
                        ? bounds.logits_gradient(output, labels_of(about, i))
                        : bounds.probabilities_gradient(output, labels_of(about, i)));
    total.resize(bounds.errors.size());
    for (std::size_t p = 0; p < total.size(); ++p) {
      const std::vector<double>& errors = bounds.errors[total.size() - 1 - p];
      total[p].resize(errors.size(), 0.0);
      for (std::size_t j = 0; j < errors.size(); ++j) {
        total[p][j] += errors[j];
      }
    }
  }
  return total;
}

/// The gradients of the reference's own backward.
inline double add_gradients(gradient_case& about, const before_micro_batch& prepare) {
  double total = 0;
  for (std::size_t i = 0; i < about.accumulated; ++i) {
    prepare(i);
    total += reference::accumulate(about.network, features_of(about, i), labels_of(about, i),
                                   about.scores);
  }
  return total;
}

/// (f(x + h) - f(x - h)) / 2h in float64, h = 2^-17: with third derivatives up to 100 and losses up
/// to 20 it is off by h^2 / 6 * 100 = 1e-9 and 20 * 2^-53 / h = 3e-10, less than this.
inline constexpr double difference_error = 2e-9;

inline double central_difference(gradient_case& about, double& value,
                                 const before_micro_batch& prepare) {
  constexpr double step = 0x1p-17;
  const double kept = value;
  value = kept + step;
  const double above = total_loss(about, prepare);
  value = kept - step;
  const double below = total_loss(about, prepare);
  value = kept;
  return (above - below) / (2 * step);
}

/// Compares the gradients of one parameter, the library's and those of the reference's backward,
/// with central differences.
inline void compare_gradients(gradient_case& about, reference::parameter& wanted,
                              std::span<const double> gradients, std::span<const double> tolerances,
                              const before_micro_batch& prepare) {
  double largest = 0;
  double loosest = 0;
  for (std::size_t j = 0; j < gradients.size(); ++j) {
    const double expected = central_difference(about, wanted.values[j], prepare);
    // The update's rounding is half a unit in the last place of w - rate * g.
    const double rounding = 0x1p-24 * (std::abs(expected) + 0x1p-20 * std::abs(wanted.values[j]));
    const double tolerance = tolerances[j] + rounding + difference_error;
    const double error = std::abs(gradients[j] - expected);
    CHECK(error <= tolerance);
    CHECK(std::abs(wanted.gradient[j] - expected) <= difference_error);
    about.worst = std::max(about.worst, error / tolerance);
    largest = std::max(largest, std::abs(expected));
    loosest = std::max(loosest, tolerance);
    ++about.compared;
  }
  // A tolerance that lets everything through would prove nothing.
  CHECK(largest > 0);
  CHECK(loosest < 0.001 * largest);
  about.loosest = std::max(about.loosest, loosest / largest);
}

/// The gradients of all parameters, from one step of plain descent.
inline std::vector<std::vector<double>> gradients_of_step(
    const parameters& weights, std::span<const reference::parameter* const> before) {
  std::vector<std::vector<double>> found;
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::vector<float> after(before[i]->values.size());
    weights.get(i, after);
    found.emplace_back();
    for (std::size_t j = 0; j < after.size(); ++j) {
      const double step = before[i]->values[j] - static_cast<double>(after[j]);
      found[i].push_back(step / static_cast<double>(gradient_rate));
    }
  }
  return found;
}

/// Everything behind the library's step.
inline void check_step(gradient_case& about, double loss, const parameters& weights,
                       const before_micro_batch& prepare) {
  const double expected = add_gradients(about, prepare);
  CHECK(std::abs(loss * static_cast<double>(about.accumulated) - expected) <= 1e-5 * expected);
  const std::vector<reference::parameter*> wanted = reference::parameters_of(about.network);
  const std::vector<std::vector<double>> gradients =
      gradients_of_step(weights, {wanted.data(), wanted.size()});
  const std::vector<std::vector<double>> tolerances = gradient_tolerances(about, prepare);
  REQUIRE(tolerances.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO(about.name << ": " << weights.name(i));
    compare_gradients(about, *wanted[i], gradients[i], tolerances[i], prepare);
  }
  CHECK(about.compared > 0);
  std::printf(
      "gradients of %s: compared %zu elements; tolerance at most %.0e of the largest, worst error "
      "%.1f %% of its tolerance\n",
      about.name.c_str(), about.compared, about.loosest, 100 * about.worst);
}

/// Runs one case: a session of `Compiled` with plain descent takes one step from the case's
/// weights. `set_masks(chain, micro-batch)` may set the masks of scale layers. Returns the case
/// with what it found.
template <compiled_model Compiled>
gradient_case check_gradients(
    gradient_case about,
    const std::function<void(reference::chain&, std::size_t)>& set_masks = {}) {
  session<Compiled> run{{.learning_rate = gradient_rate}};
  const before_micro_batch prepare = [&](std::size_t micro_batch) {
    if (set_masks) {
      set_masks(about.network, micro_batch);
    }
  };
  make_samples(about);
  set_weights(about, run.weights());
  const double loss = run.train_step(about.features, about.labels);
  check_step(about, loss, run.weights(), prepare);
  return about;
}

}  // namespace ipu_dsl::tests
