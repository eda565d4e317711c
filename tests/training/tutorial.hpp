// SPDX-License-Identifier: MIT
// The tutorial's network, trained under any schedule and with any cut. A program of tests compiles
// each of these sessions once (tutorial_<schedule>.cpp) and sees them through `tutorial_session`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/training/session_core.hpp>

#include "support/reference/training.hpp"

namespace ipu_dsl::tests {

/// 784-256-128-64-32-10 in two stages, micro-batches of 32, 4 of them an update with the sum of
/// their gradients, descent with learning rate 0.01 and momentum 0.9.
class tutorial_session {
 public:
  tutorial_session() = default;
  tutorial_session(const tutorial_session&) = delete;
  tutorial_session& operator=(const tutorial_session&) = delete;
  virtual ~tutorial_session() = default;

  virtual const history& fit(feed_reference source, const fit_options& wanted) = 0;
  virtual evaluation evaluate(feed_reference source) = 0;
  virtual parameters& weights() = 0;
};

inline constexpr float tutorial_rate = 0.01F;
inline constexpr float tutorial_momentum = 0.9F;
inline constexpr int tutorial_micro_batch = 32;
inline constexpr int tutorial_accumulation = 4;
inline constexpr std::size_t tutorial_pixels = 784;

/// The tutorial's own cut: Flatten and the first Dense in the first stage.
inline constexpr int tutorial_cut = 2;

enum class tutorial_schedule { grouped, interleaved, sequential };

/// Sessions with the first `cut` of the six layers (1 to 5) in the first stage.
std::unique_ptr<tutorial_session> grouped_tutorial(int cut, const session_options& options);
std::unique_ptr<tutorial_session> interleaved_tutorial(int cut, const session_options& options);
std::unique_ptr<tutorial_session> sequential_tutorial(int cut, const session_options& options);

inline std::unique_ptr<tutorial_session> make_tutorial(tutorial_schedule schedule, int cut,
                                                       const session_options& options) {
  switch (schedule) {
    case tutorial_schedule::grouped:
      return grouped_tutorial(cut, options);
    case tutorial_schedule::interleaved:
      return interleaved_tutorial(cut, options);
    default:
      return sequential_tutorial(cut, options);
  }
}

/// Copies a session's weights into the layers of a reference, in order of parameters.
inline void copy_weights(const parameters& from, reference::chain& into) {
  const std::vector<reference::parameter*> wanted = reference::parameters_of(into);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<float> values(wanted[i]->values.size());
    from.get(i, values);
    for (std::size_t j = 0; j < values.size(); ++j) {
      wanted[i]->values[j] = static_cast<double>(values[j]);
    }
  }
}

/// The next micro-batch of a feed, for the reference.
struct sample_rows {
  reference::matrix features;
  std::vector<std::int32_t> labels;
};

inline sample_rows next_rows(feed_reference& source, int micro_batch) {
  const auto row = static_cast<std::int32_t>(source.sources()[0].elements);
  const auto elements = static_cast<std::size_t>(row);
  std::vector<float> features(static_cast<std::size_t>(micro_batch) * elements);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(micro_batch));
  const source_rows rows[] = {{dtype::float32, features.data(), row, row},
                              {dtype::int32, labels.data(), 1, 1}};
  const std::int32_t valid = source.next({.sources = rows, .micro_batch = micro_batch});
  features.resize(static_cast<std::size_t>(valid) * elements);
  labels.resize(static_cast<std::size_t>(valid));
  return {reference::widened(features, elements), labels};
}

/// What the reference finds of all samples.
struct reference_evaluation {
  double loss = 0;
  double accuracy = 0;
  std::int64_t samples = 0;
};

/// The tutorial in float64.
class tutorial_reference {
 public:
  explicit tutorial_reference(const parameters& start) { copy_weights(start, network_); }

  /// Moves every weight by at most 2^-21 of it, as the rounding of its sums might have; `which`
  /// says how.
  void move_weights(std::uint64_t which) {
    std::uint64_t index = 0;
    for (reference::layer& layer : network_) {
      for (double& weight : layer.kernel.values) {
        const double part = static_cast<double>(uniform_unit(random_word(which, 0, index)));
        weight *= 1 + std::ldexp(part - 0.5, -20);
        ++index;
      }
    }
  }

  /// The losses of `steps` micro-batches.
  std::vector<double> fit(feed_reference source, int steps) {
    const reference::descent by{.what = reference::descent::kind::momentum,
                                .learning_rate = static_cast<double>(tutorial_rate),
                                .momentum = static_cast<double>(tutorial_momentum)};
    std::vector<double> losses;
    for (int step = 1; step <= steps; ++step) {
      const sample_rows rows = next_rows(source, tutorial_micro_batch);
      losses.push_back(reference::accumulate(network_, rows.features, rows.labels));
      if (step % tutorial_accumulation == 0) {
        reference::update(network_, by, 1);
      }
    }
    return losses;
  }

  /// Mean loss and accuracy over all samples of a feed.
  reference_evaluation evaluate(feed_reference source) {
    reference_evaluation sum;
    for (;;) {
      const sample_rows rows = next_rows(source, 100);
      if (rows.labels.empty()) {
        break;
      }
      const reference::matrix scores = reference::forward(network_, rows.features);
      const auto samples = static_cast<double>(rows.labels.size());
      sum.loss +=
          samples * reference::cross_entropy(reference::score_kind::logits, scores, rows.labels);
      sum.accuracy += static_cast<double>(reference::hits(scores, rows.labels));
      sum.samples += static_cast<std::int64_t>(rows.labels.size());
    }
    sum.loss /= static_cast<double>(sum.samples);
    sum.accuracy /= static_cast<double>(sum.samples);
    return sum;
  }

 private:
  using activation = reference::activation;

  reference::chain network_ = {reference::dense(784, 256), reference::function(activation::relu),
                               reference::dense(256, 128), reference::function(activation::relu),
                               reference::dense(128, 64),  reference::function(activation::relu),
                               reference::dense(64, 32),   reference::function(activation::relu),
                               reference::dense(32, 10)};
};

}  // namespace ipu_dsl::tests
