// SPDX-License-Identifier: MIT
// When two models are the same graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl::testing {

constexpr bool same_tensor(const tensor& left, const tensor& right) {
  return left.extents == right.extents && left.type == right.type && left.role == right.role &&
         left.trainable == right.trainable && left.needs_gradient == right.needs_gradient &&
         left.producer == right.producer && left.owner == right.owner &&
         left.view_of == right.view_of && left.start.kind == right.start.kind &&
         left.lies == right.lies && left.name == right.name;
}

constexpr bool same_node(const node& left, const node& right) {
  bool same = left.rule == right.rule && left.first_operand == right.first_operand &&
              left.inputs == right.inputs && left.outputs == right.outputs &&
              left.parameters == right.parameters;
  for (std::size_t i = 0; i < attributes::capacity; ++i) {
    same = same && left.options.words[i] == right.options.words[i];
  }
  return same;
}

/// The same tensors, nodes and connections; stages may differ.
constexpr bool same_computation(const graph_view& left, const graph_view& right) {
  bool same = left.tensors.size() == right.tensors.size() &&
              left.nodes.size() == right.nodes.size() &&
              left.operands.size() == right.operands.size() &&
              left.find(tensor_role::input) == right.find(tensor_role::input) &&
              left.outputs.size() == right.outputs.size();
  for (std::size_t i = 0; same && i < left.outputs.size(); ++i) {
    same = left.outputs[i].tensor == right.outputs[i].tensor;
  }
  for (std::size_t i = 0; same && i < left.tensors.size(); ++i) {
    same = same_tensor(left.tensors[i], right.tensors[i]);
  }
  for (std::size_t i = 0; same && i < left.nodes.size(); ++i) {
    same = same_node(left.nodes[i], right.nodes[i]);
  }
  for (std::size_t i = 0; same && i < left.operands.size(); ++i) {
    same = left.operands[i] == right.operands[i];
  }
  return same;
}

/// The same computation, cut into the same stages.
constexpr bool same_graph(const graph_view& left, const graph_view& right) {
  bool same = same_computation(left, right) && left.stages == right.stages &&
              left.layers.size() == right.layers.size();
  for (std::size_t i = 0; same && i < left.nodes.size(); ++i) {
    same =
        left.nodes[i].stage == right.nodes[i].stage && left.nodes[i].layer == right.nodes[i].layer;
  }
  for (std::size_t i = 0; same && i < left.layers.size(); ++i) {
    same = where_is(left.layers[i]) == where_is(right.layers[i]) &&
           left.layers[i].output == right.layers[i].output;
  }
  return same;
}

/// The shape that a right model hands on.
template <typename M>
constexpr shape output_of() {
  return graph_of<M>.at(graph_of<M>.output(0)).extents;
}

}  // namespace ipu_dsl::testing
