// SPDX-License-Identifier: MIT
// Which buffers have been asked for while a graph is lowered.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// Finds the buffer of a tensor in a role without searching: one table a role.
struct buffer_index {
  list<std::int32_t> value;         ///< by tensor
  list<std::int32_t> gradient;      ///< by tensor
  list<std::int32_t> contribution;  ///< by position in graph_view::operands
  list<std::int32_t> accumulator;   ///< by tensor
  list<std::int32_t> slot;          ///< by tensor and slot of the optimizer
  list<std::int32_t> scratch;       ///< by node and tag

  static constexpr std::size_t slots_per_parameter = 4;
  static constexpr std::size_t scratch_per_node = 4;

  constexpr explicit buffer_index(const graph_view& model)
      : value(model.tensors.size(), -1),
        gradient(model.tensors.size(), -1),
        contribution(model.operands.size(), -1),
        accumulator(model.tensors.size(), -1),
        slot(model.tensors.size() * slots_per_parameter, -1),
        scratch(model.nodes.size() * scratch_per_node, -1) {}
};

}  // namespace ipu_dsl
