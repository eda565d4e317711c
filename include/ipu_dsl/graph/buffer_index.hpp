// SPDX-License-Identifier: MIT
// Which buffers the calls of a program name, and their numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// Finds the number of a buffer, whose key is role, tensor and life, without searching: one table a
/// role. `buffer_ref::index` is the slot of an optimizer, the stage of an update's sums, of a
/// contribution and of an accumulator their place in graph_view::operands, of scratch its place in
/// the table.
class buffer_index {
 public:
  static constexpr std::size_t slots_per_parameter = 4;
  static constexpr std::size_t stages_per_parameter = whole_sums::most_stages;
  static constexpr std::size_t scratch_per_node = 20;

  constexpr explicit buffer_index(const graph_view& model)
      : value_(model.tensors.size() * buffer_lives),
        gradient_(model.tensors.size()),
        contribution_(model.operands.size()),
        accumulator_(model.operands.size()),
        slot_(model.tensors.size() * slots_per_parameter),
        sums_(model.tensors.size() * stages_per_parameter),
        scratch_(model.nodes.size() * scratch_per_node) {}

  /// The number of a buffer, which is appended to `buffers` when it is named for the first time, by
  /// a node of `stage`.
  constexpr std::int32_t number_of(const graph_view& model, const buffer_ref& named,
                                   std::int32_t stage, list<buffer>& buffers) {
    std::int32_t& entry = entry_of(named);
    if (entry == 0) {
      buffers.push_back(make(model, named, stage));
      entry = static_cast<std::int32_t>(buffers.size());
    }
    return entry - 1;
  }

 private:
  static constexpr buffer make(const graph_view& model, const buffer_ref& named,
                               std::int32_t stage) {
    buffer made{.role = named.role,
                .life = named.life,
                .lies = named.held,
                .type = named.type,
                .tensor = named.tensor,
                .index = named.index,
                .stage = stage,
                .samples = named.samples > 0 ? named.samples : 1,
                .extents = named.extents};
    if (named.role == buffer_role::scratch) {
      made.index = named.index % static_cast<std::int32_t>(scratch_per_node);
    } else if (named.role != buffer_role::parameter_sums) {
      made.extents = model.at(named.tensor).extents;
      made.samples = model.at(named.tensor).samples;
    }
    return made;
  }

  constexpr std::int32_t& entry_of(const buffer_ref& named) {
    const auto of = static_cast<std::size_t>(named.tensor);
    const auto index = static_cast<std::size_t>(named.index);
    // What is asked for most often comes first: each case that is passed over is a step of constant
    // evaluation.
    switch (named.role) {
      case buffer_role::value:
        return value_[of * buffer_lives + static_cast<std::size_t>(named.life)];
      case buffer_role::gradient:
        return gradient_[of];
      case buffer_role::contribution:
        return contribution_[index];
      case buffer_role::accumulator:
        return accumulator_[index];
      case buffer_role::optimizer_slot:
        return slot_[of * slots_per_parameter + index];
      case buffer_role::scratch:
        return scratch_[index];
      case buffer_role::parameter_sums:
        break;
    }
    return sums_[of * stages_per_parameter + index];
  }

  // Numbers + 1, so that 0 is none: zeros cost no step of constant evaluation.
  list<std::int32_t> value_;         ///< by tensor and life
  list<std::int32_t> gradient_;      ///< by tensor
  list<std::int32_t> contribution_;  ///< by position in graph_view::operands
  list<std::int32_t> accumulator_;   ///< by position in graph_view::operands
  list<std::int32_t> slot_;          ///< by tensor and slot of the optimizer
  list<std::int32_t> sums_;          ///< by tensor and stage of the update
  list<std::int32_t> scratch_;       ///< by node and tag
};

}  // namespace ipu_dsl
