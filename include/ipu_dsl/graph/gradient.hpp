// SPDX-License-Identifier: MIT
// Which gradients exist at all.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// A tensor needs a gradient if something that learns lies before it. The features never do, and
/// so the first layer computes no input gradient; nor does anything below frozen layers.
constexpr void mark_gradients(graph& model) {
  for (const node& here : model.nodes) {
    bool learns = false;
    const auto first = static_cast<std::size_t>(here.first_operand);
    const auto inputs = static_cast<std::size_t>(here.inputs);
    const auto outputs = static_cast<std::size_t>(here.outputs);
    const auto parameters = static_cast<std::size_t>(here.parameters);
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto read = static_cast<std::size_t>(model.operands[first + i]);
      learns = learns || model.tensors[read].needs_gradient;
    }
    for (std::size_t i = 0; i < parameters; ++i) {
      const auto owned = static_cast<std::size_t>(model.operands[first + inputs + outputs + i]);
      learns = learns || model.tensors[owned].trainable;
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      const auto made = static_cast<std::size_t>(model.operands[first + inputs + i]);
      model.tensors[made].needs_gradient = learns && !model.tensors[made].is_mask;
    }
  }
}

}  // namespace ipu_dsl
