// SPDX-License-Identifier: MIT
// The loss and the metrics as the last nodes of a graph.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/graph/builder.hpp>

namespace ipu_dsl {

/// A loss or a metric, with its own options.
struct result_choice {
  const family* rule = nullptr;
  attributes options;
};

/// Appends a node that judges the model's output by the targets, in the last stage.
constexpr problem attach_result(graph& model, const result_choice& judge, node_purpose purpose) {
  const std::int32_t scores[] = {model.output};
  problem found =
      add_node(model, *judge.rule, judge.options, scores, model.stages - 1, -1, -1, purpose);
  if (found.found()) {
    found.where = label(judge.rule->name) << " behind " << where_is(model.layers.back());
  }
  return found;
}

/// Appends the loss and the metrics, in this order.
constexpr problem attach_results(graph& model, const result_choice& loss,
                                 std::span<const result_choice> metrics) {
  problem found = attach_result(model, loss, node_purpose::loss);
  for (const result_choice& metric : metrics) {
    if (!found.found()) {
      found = attach_result(model, metric, node_purpose::metric);
    }
  }
  return found;
}

}  // namespace ipu_dsl
