// SPDX-License-Identifier: MIT
// The atoms of a graph.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/storage.hpp>
#include <ipu_dsl/graph/initializer.hpp>

namespace ipu_dsl {

/// First what comes from the feed, see `sources_of`.
enum class tensor_role : std::uint8_t {
  input,       ///< a sample's features, from the feed
  target,      ///< what a sample's output should be, from the feed: a label, numbers
  weight,      ///< what a sample, or each position of it, counts, from the feed
  activation,  ///< computed by a node, one per sample
  result,      ///< what a loss or a metric counts, one per micro-batch
  parameter,   ///< learned; one for all samples
  state,       ///< kept from micro-batch to micro-batch, not learned: running statistics
  run_value    ///< a number that the host gives before a run, the same for all samples
};

/// Everything that flows or stays. `extents` are those of one sample (input, target, weight,
/// activation), of one micro-batch (result) or of the whole (parameter, state).
struct tensor {
  shape extents;
  dtype type = dtype::float32;
  std::int32_t classes = 0;  ///< of an input or a target of integers: they lie in [0, classes)
  tensor_role role = tensor_role::activation;
  bool trainable = false;
  bool needs_gradient = false;  ///< filled in by `mark_gradients`
  std::int32_t producer = -1;   ///< the node that computes it; -1: it comes from outside
  std::int32_t owner = -1;      ///< the first node that uses a parameter or a state: it owns it
  std::int32_t view_of = -1;    ///< the tensor whose elements these are, in another shape
  std::int32_t mask = -1;       ///< the tensor that says which of its steps there are; -1: all
  std::int32_t samples = 1;     ///< of it for each sample of the model: see `sequence_view`
  std::int32_t steps_of = -1;   ///< the sequence whose steps these samples are; -1: of none
  bool is_mask = false;         ///< one number for each step of another tensor, 1 or 0; no gradient
  std::int32_t target_of = -1;  ///< of a target or a weight: the tensor that it is told of
  initializer start;            ///< of a parameter or a state; of a run value its default, or NaN
  const parameter_rules* rules = nullptr;  ///< of a parameter; null: nothing is asked of it
  storage lies = storage::rows;            ///< how its elements lie in memory
  bool non_negative = false;               ///< of a state: none of its numbers is below 0
  std::string_view
      name;  ///< of a parameter or a state: "kernel"; of an input, if given; of a run value
};

/// One sample at a time, as opposed to one for all.
constexpr bool per_sample(const tensor& atom) {
  return atom.role == tensor_role::input || atom.role == tensor_role::target ||
         atom.role == tensor_role::weight || atom.role == tensor_role::activation;
}

/// What a model keeps from run to run, and files of weights hold.
constexpr bool is_parameter_or_state(const tensor& atom) {
  return atom.role == tensor_role::parameter || atom.role == tensor_role::state;
}

}  // namespace ipu_dsl
