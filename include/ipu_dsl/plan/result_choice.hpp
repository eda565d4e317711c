// SPDX-License-Identifier: MIT
// A loss or a metric as it was chosen, and how many of them a model can have.
#pragma once

#include <string_view>

#include <ipu_dsl/core/source_form.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// So many metrics a model can have.
inline constexpr int most_metrics = 15;

/// Losses and metrics.
inline constexpr int most_results = most_metrics + most_outputs;

/// A loss or a metric, with its own options.
struct result_choice {
  const family* rule = nullptr;
  attributes options = {};
  /// The name of the layer that makes what it judges; empty: the model's one output.
  std::string_view output = {};
  float weight = 1;  ///< of a loss
  weighed weighs = weighed::nothing;
  std::string_view name = {};  ///< of a metric, if it was given one
  bool sums = false;           ///< of a loss: over samples and positions, where others are means
};

/// What a metric is called.
constexpr std::string_view name_of(const result_choice& metric) {
  return metric.name.empty() ? metric.rule->name : metric.name;
}

}  // namespace ipu_dsl
