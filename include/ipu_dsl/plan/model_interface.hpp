// SPDX-License-Identifier: MIT
// What of a model those have to know who feed it.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// What goes into a model and comes out of it. It points to no family: see `call`.
struct model_interface {
  shape sample;              ///< of the input
  shape result;              ///< of the output, of one sample
  std::int32_t classes = 0;  ///< that the loss tells apart; 0 without a loss
};

/// Of a model that has been folded.
constexpr model_interface interface_of(const graph_view& model) {
  model_interface known{.sample = model.at(model.input).extents,
                        .result = model.at(model.output).extents};
  if (model.loss >= 0) {
    const std::int32_t scores = model.input_of(model.node_at(model.loss), 0);
    known.classes = static_cast<std::int32_t>(model.at(scores).extents.elements());
  }
  return known;
}

}  // namespace ipu_dsl
