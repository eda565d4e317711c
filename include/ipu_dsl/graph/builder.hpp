// SPDX-License-Identifier: MIT
// Adds inputs and nodes to a graph, and runs the families' rules as it goes.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// Adds a tensor that comes from the feed: features or labels.
constexpr std::int32_t add_source(graph& model, const shape& extents, dtype type,
                                  tensor_role role) {
  tensor atom;
  atom.extents = extents;
  atom.type = type;
  atom.role = role;
  model.tensors.push_back(atom);
  return static_cast<std::int32_t>(model.tensors.size()) - 1;
}

/// Adds one node in `stage`, as part of `layer` (-1: of none), and returns its problem, if any,
/// without saying where. The outputs are the node's, in order.
constexpr problem add_node(graph& model, const family& rule, const attributes& options,
                           std::span<const std::int32_t> inputs, std::int32_t stage,
                           std::int32_t layer) {
  const std::size_t first_made = model.tensors.size();
  node_draft draft(model, options, inputs);
  const problem found = rule.shapes(draft);
  if (found.found()) {
    return found;
  }
  node made;
  made.rule = &rule;
  made.options = options;
  made.layer = layer;
  made.stage = stage;
  made.first_operand = static_cast<std::int32_t>(model.operands.size());
  made.inputs = static_cast<std::int32_t>(inputs.size());
  model.operands.append(inputs);
  // The rule made them in any order; outputs have a producer, parameters and states none.
  for (std::size_t i = first_made; i < model.tensors.size(); ++i) {
    if (model.tensors[i].producer >= 0) {
      model.operands.push_back(static_cast<std::int32_t>(i));
      ++made.outputs;
    }
  }
  for (std::size_t i = first_made; i < model.tensors.size(); ++i) {
    if (model.tensors[i].owner >= 0) {
      model.operands.push_back(static_cast<std::int32_t>(i));
      ++made.parameters;
    }
  }
  model.nodes.push_back(made);
  return {};
}

/// The first output of the newest node.
constexpr std::int32_t newest_output(const graph& model) {
  return model.view().output_of(model.nodes.back(), 0);
}

/// Layers are found by the names they were given, so no two may have the same.
constexpr problem refuse_repeated_name(const graph& model) {
  for (std::size_t later = 0; later < model.layers.size(); ++later) {
    const std::string_view name = model.layers[later].name;
    for (std::size_t earlier = 0; !name.empty() && earlier < later; ++earlier) {
      if (model.layers[earlier].name == name) {
        problem found = refuse("a name of its own", label("the name of layer ")
                                                        << model.layers[earlier].number);
        found.where = where_is(model.layers[later]);
        return found;
      }
    }
  }
  return {};
}

}  // namespace ipu_dsl
