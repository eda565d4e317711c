// SPDX-License-Identifier: MIT
// What of a model those have to know who feed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// A number that the host gives before a run.
struct run_value_interface {
  std::string_view name;
  float start = 0;  ///< NaN: it has to be given
};

/// What goes into a model and comes out of it. It points to no family: see `call`.
struct model_interface {
  source_interface sources[most_sources];  ///< inputs, then targets, then weights
  std::int32_t inputs = 0;
  std::int32_t targets = 0;     ///< none without a loss
  std::int32_t weights = 0;     ///< of samples, those that a loss or a metric asks for
  shape outputs[most_outputs];  ///< of one sample
  std::int32_t output_count = 0;
  run_value_interface values[most_run_values];
  std::int32_t value_count = 0;

  constexpr list_view<run_value_interface> run_values() const {
    return {values, static_cast<std::size_t>(value_count)};
  }

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
  for (const tensor& atom : model.tensors) {
    if (atom.role == tensor_role::run_value) {
      known.values[known.value_count] = {atom.name, atom.start.value};
      ++known.value_count;
    }
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
