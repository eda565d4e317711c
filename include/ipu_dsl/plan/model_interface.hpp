// SPDX-License-Identifier: MIT
// What of a model those have to know who feed it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// One tensor that comes from a feed.
struct source_interface {
  shape extents;  ///< of a sample
  dtype type = dtype::float32;
  std::int32_t classes = 0;  ///< integers lie in [0, classes); 0: of floats
};

/// What goes into a model and comes out of it. It points to no family: see `call`.
struct model_interface {
  source_interface sources[most_sources];  ///< inputs, then targets, then weights
  std::int32_t inputs = 0;
  std::int32_t targets = 0;     ///< none without a loss
  std::int32_t weights = 0;     ///< of samples, those that a loss or a metric asks for
  shape outputs[most_outputs];  ///< of one sample
  std::int32_t output_count = 0;

  constexpr const source_interface& input() const { return sources[0]; }

  /// What a program fills.
  constexpr list_view<source_interface> wanted(bool with_targets) const {
    return {sources, static_cast<std::size_t>(inputs + (with_targets ? targets + weights : 0))};
  }
};

/// Of a model that has been folded.
constexpr model_interface interface_of(const graph_view& model) {
  model_interface known;
  for (const model_output& output : model.outputs) {
    known.outputs[known.output_count] = model.at(output.tensor).extents;
    ++known.output_count;
  }
  std::size_t count = 0;
  for (const std::int32_t source : sources_of(model, true)) {
    const tensor& atom = model.at(source);
    known.sources[count] = {atom.extents, atom.type, atom.classes};
    ++count;
    ++(atom.role == tensor_role::input    ? known.inputs
       : atom.role == tensor_role::target ? known.targets
                                          : known.weights);
  }
  return known;
}

}  // namespace ipu_dsl
