// SPDX-License-Identifier: MIT
// Which activations need no call of their own, because the layer before them applies them to what
// it writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/lowering_facts.hpp>

namespace ipu_dsl {

/// Finds what `lowering_facts` says of activations that are applied.
class forward_ways {
 public:
  /// `computed` says by node what the program computes.
  constexpr forward_ways(const graph_view& model, const list<bool>& computed, lowering_facts& facts)
      : model_(model), computed_(computed), facts_(facts) {}

  constexpr void find() {
    facts_.applied.resize(model_.tensors.size(), activation_kind::linear);
    facts_.applied_to.resize(model_.tensors.size(), -1);
    const list<std::int32_t> readers = count_readers();
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      if (computed_[i] && here.rule->only_activates && readers[model_.input_of(here, 0)] == 1) {
        choose(here);
      }
    }
  }

 private:
  constexpr std::int32_t node_count() const {
    return static_cast<std::int32_t>(model_.nodes.size());
  }

  /// By tensor; who is handed an output of the model reads it as well.
  constexpr list<std::int32_t> count_readers() const {
    list<std::int32_t> readers(model_.tensors.size(), 0);
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      for (std::int32_t input = 0; computed_[i] && input < here.inputs; ++input) {
        ++readers[model_.input_of(here, input)];
      }
    }
    for (const model_output& handed : model_.outputs) {
      ++readers[handed.tensor];
    }
    return readers;
  }

  /// The layer before an activation applies it if both lie in one stage, and what it would write in
  /// the same way as what it is to write.
  constexpr void choose(const node& activation) {
    const std::int32_t read = model_.input_of(activation, 0);
    const std::int32_t made = model_.output_of(activation, 0);
    const std::int32_t producer = model_.at(read).producer;
    if (producer < 0) {
      return;
    }
    const node& before = model_.node_at(producer);
    const bool is_free = before.rule->activation(before.options).kind == activation_kind::linear;
    const activation_kind kind = activation.rule->activation(activation.options).kind;
    if (before.rule->applies_activation && is_free && applied_in_passing(kind) &&
        before.stage == activation.stage && lie_alike(read, made)) {
      facts_.applied[read] = kind;
      facts_.applied_to[read] = made;
    }
  }

  constexpr bool lie_alike(std::int32_t read, std::int32_t made) const {
    const tensor& left = model_.at(read);
    const tensor& right = model_.at(made);
    return left.view_of < 0 && right.view_of < 0 && left.extents == right.extents &&
           left.type == right.type && left.samples == right.samples && left.lies == right.lies;
  }

  graph_view model_;
  const list<bool>& computed_;
  lowering_facts& facts_;
};

}  // namespace ipu_dsl
