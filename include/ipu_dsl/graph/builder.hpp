// SPDX-License-Identifier: MIT
// Adds inputs and nodes to a graph, and runs the families' rules as it goes.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// Adds a tensor that comes from the feed: an input or a target. Of integers `classes` says below
/// which they lie.
constexpr std::int32_t add_source(graph& model, const shape& extents, dtype type, tensor_role role,
                                  std::int32_t classes = 0) {
  tensor atom;
  atom.extents = extents;
  atom.type = type;
  atom.role = role;
  atom.classes = classes;
  model.tensors.push_back(atom);
  return static_cast<std::int32_t>(model.tensors.size()) - 1;
}

/// What is wrong with an input of a model.
constexpr problem check_input(const shape& extents, dtype type) {
  if (type != dtype::float32 && type != dtype::int32) {
    return refuse("an input of float32 or int32", name_of(type));
  }
  return check_extents(extents);
}

/// What is wrong with the types of inputs: few families read integers.
constexpr problem check_input_types(const graph& model, const family& rule,
                                    std::span<const std::int32_t> inputs) {
  for (const std::int32_t input : inputs) {
    const dtype type = model.tensors[static_cast<std::size_t>(input)].type;
    if (type != dtype::float32 && !rule.reads_integers) {
      return refuse("an input of float32", name_of(type), "put a layer before it that reads these");
    }
  }
  return {};
}

/// What is wrong with a number of inputs.
constexpr problem check_inputs(const family& rule, std::size_t given) {
  if (rule.inputs == any_number || static_cast<std::size_t>(rule.inputs) == given) {
    return {};
  }
  const bool more = given > static_cast<std::size_t>(rule.inputs);
  return refuse(label() << rule.inputs << (rule.inputs == 1 ? " input" : " inputs"),
                label() << given, more ? "join them before it, with Add or Concatenate" : "");
}

/// Adds one node in `stage`, as part of `layer` (-1: of none), and returns its problem, if any,
/// without saying where. The outputs are the node's, in order.
constexpr problem add_node(graph& model, const family& rule, const attributes& options,
                           std::span<const std::int32_t> inputs, std::int32_t stage,
                           std::int32_t layer, node_purpose purpose = node_purpose::layer) {
  problem unfit = check_inputs(rule, inputs.size());
  if (!unfit.found()) {
    unfit = check_input_types(model, rule, inputs);
  }
  if (unfit.found()) {
    return unfit;
  }
  const std::size_t first_made = model.tensors.size();
  node_draft draft(model, options, inputs);
  const problem found = rule.shapes(draft);
  if (found.found() || draft.fault().found()) {
    return draft.fault().found() ? draft.fault() : found;
  }
  node made;
  made.rule = &rule;
  made.options = draft.chosen_options();
  made.purpose = purpose;
  made.layer = layer;
  made.stage = stage;
  made.first_operand = static_cast<std::int32_t>(model.operands.size());
  made.inputs = draft.append_inputs(model.operands);
  // The rule made them in any order; outputs have a producer, parameters and states none.
  for (std::size_t i = first_made; i < model.tensors.size(); ++i) {
    if (model.tensors[i].producer >= 0) {
      model.operands.push_back(static_cast<std::int32_t>(i));
      ++made.outputs;
    }
  }
  if (made.outputs == 0) {
    return refuse("a rule for shapes that adds an output", "none",
                  "write draft.output(extents) in it");
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

/// Where one tensor goes on, the newest node must make no more.
constexpr problem check_single_output(const graph& model) {
  const std::int32_t outputs = model.nodes.back().outputs;
  if (outputs == 1) {
    return {};
  }
  return refuse("a layer of 1 output", label() << outputs << " outputs",
                text<191>("take all in a functional model: build.layers<Layer, ")
                    << outputs << ">(...)");
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
