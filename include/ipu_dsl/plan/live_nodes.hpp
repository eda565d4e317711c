// SPDX-License-Identifier: MIT
// Which nodes a program computes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/plan/lowered_program.hpp>

namespace ipu_dsl {

/// Backwards from what the program is for, losses and metrics or the outputs: [nodes].
constexpr list<bool> live_nodes(const graph_view& model, program_kind program) {
  list<bool> live(model.nodes.size(), false);
  const auto mark_producer = [&](std::int32_t tensor) {
    const std::int32_t producer = model.at(tensor).producer;
    if (producer >= 0) {
      live[producer] = true;
    }
  };
  if (program == program_kind::predict) {
    for (const model_output& output : model.outputs) {
      mark_producer(output.tensor);
    }
  }
  for (std::size_t i = model.nodes.size(); i-- > 0;) {
    const node& here = model.nodes[i];
    const bool result = here.purpose != node_purpose::layer;
    live[i] = live[i] || (result && program != program_kind::predict);
    for (std::int32_t input = 0; live[i] && input < here.inputs; ++input) {
      mark_producer(model.input_of(here, input));
    }
  }
  return live;
}

}  // namespace ipu_dsl
