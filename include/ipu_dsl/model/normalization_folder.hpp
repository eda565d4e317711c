// SPDX-License-Identifier: MIT
// Which normalisations of a graph can become part of the layers before them, and the graph without
// them.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>

namespace ipu_dsl {

/// What the parameters of a folded normalisation are, by their number among all parameters and
/// states of the whole model; -1: there is none.
struct normalization_numbers {
  std::int32_t gamma = -1;
  std::int32_t beta = -1;
  std::int32_t mean = -1;
  std::int32_t variance = -1;
  float epsilon = 0;
};

/// What a parameter of the folded model is made of.
struct folded_parameter {
  std::int32_t source = -1;  ///< the parameter of the whole model; -1: zeros
  bool is_bias = false;      ///< and not a kernel, where there is a normalisation
  bool is_changed = false;
  normalization_numbers by = {};
};

/// Finds what can be folded, and makes the graph without it.
class normalization_folder {
 public:
  constexpr explicit normalization_folder(const graph_view& whole) : whole_(whole) {
    into_.resize(whole.nodes.size(), -1);
    is_gone_.resize(whole.nodes.size(), false);
    count_uses();
    number_parameters();
    for (std::int32_t i = 0; i < node_count(); ++i) {
      find(i);
    }
  }

  constexpr bool finds_any() const { return found_; }

  /// The graph without what is folded.
  constexpr graph fold() {
    graph made;
    made.stages = whole_.stages;
    number_nodes();
    copy_tensors(made);
    copy_nodes(made);
    copy_layers(made);
    for (const model_output& output : whole_.outputs) {
      made.outputs.push_back({tensor_of(output.tensor), output.layer});
    }
    return made;
  }

  /// What each parameter and state of the folded model is made of, in their order.
  constexpr list<folded_parameter> parameters() const {
    list<folded_parameter> made;
    for (std::int32_t t = 0; t < tensor_count(); ++t) {
      const std::int32_t owner = whole_.at(t).owner;
      if (!is_parameter_or_state(whole_.at(t)) || is_gone_[owner]) {
        continue;
      }
      const std::int32_t by = into_[owner];
      if (by < 0) {
        made.push_back({.source = numbers_[t]});
        continue;
      }
      const bool is_bias = t != first_parameter_of(owner);
      made.push_back({numbers_[t], is_bias, true, numbers_of(by)});
      if (lacks_bias(owner)) {
        made.push_back({-1, true, true, numbers_of(by)});
      }
    }
    return made;
  }

 private:
  constexpr std::int32_t node_count() const {
    return static_cast<std::int32_t>(whole_.nodes.size());
  }

  constexpr std::int32_t tensor_count() const {
    return static_cast<std::int32_t>(whole_.tensors.size());
  }

  constexpr std::int32_t first_parameter_of(std::int32_t n) const {
    return whole_.parameter_of(whole_.node_at(n), 0);
  }

  /// Whether what takes a normalisation in has no bias yet.
  constexpr bool lacks_bias(std::int32_t n) const {
    return into_[n] >= 0 && whole_.node_at(n).parameters == 1;
  }

  /// Notes whether node `i` is a normalisation that can be folded.
  constexpr void find(std::int32_t i) {
    const node& here = whole_.node_at(i);
    if (!same_address(here.rule, &batch_normalization_family)) {
      return;
    }
    const std::int32_t read = whole_.input_of(here, 0);
    const std::int32_t before = whole_.at(read).producer;
    // A shared layer's parameters are used by each of its calls.
    if (before >= 0 && takes_in(whole_.node_at(before)) && uses_[read] == 1 &&
        uses_[first_parameter_of(i)] == 1 && uses_[first_parameter_of(before)] == 1) {
      into_[before] = i;
      is_gone_[i] = true;
      found_ = true;
    }
  }

  static constexpr bool takes_in(const node& before) {
    attributes options = before.options;
    return before.rule->folds_channels(options) &&
           before.rule->activation(before.options).kind == activation_kind::linear;
  }

  /// How many nodes read a tensor or use a parameter; who is handed an output reads it as well.
  constexpr void count_uses() {
    uses_.resize(whole_.tensors.size(), 0);
    for (const node& here : whole_.nodes) {
      for (std::int32_t i = 0; i < here.inputs; ++i) {
        ++uses_[whole_.input_of(here, i)];
      }
      for (std::int32_t i = 0; i < here.parameters; ++i) {
        ++uses_[whole_.parameter_of(here, i)];
      }
    }
    for (const model_output& output : whole_.outputs) {
      ++uses_[output.tensor];
    }
  }

  constexpr void number_parameters() {
    std::int32_t next = 0;
    for (const tensor& atom : whole_.tensors) {
      numbers_.push_back(next);
      next += is_parameter_or_state(atom) ? 1 : 0;
    }
  }

  constexpr normalization_numbers numbers_of(std::int32_t n) const {
    const node& here = whole_.node_at(n);
    const auto options = here.options.as<batch_normalization_options>();
    normalization_numbers made;
    std::int32_t next = 0;
    if (options.has_scale != 0) {
      made.gamma = numbers_[whole_.parameter_of(here, next++)];
    }
    if (options.has_center != 0) {
      made.beta = numbers_[whole_.parameter_of(here, next++)];
    }
    made.mean = numbers_[whole_.parameter_of(here, next)];
    made.variance = numbers_[whole_.parameter_of(here, next + 1)];
    made.epsilon = options.epsilon;
    return made;
  }

  // The graph without what is folded.

  constexpr void number_nodes() {
    std::int32_t next = 0;
    for (std::int32_t i = 0; i < node_count(); ++i) {
      node_places_.push_back(next);
      next += is_gone_[i] ? 0 : 1;
    }
  }

  constexpr std::int32_t node_of(std::int32_t i) const { return i < 0 ? i : node_places_[i]; }

  /// What a folded normalisation makes is what the node before it makes.
  constexpr std::int32_t tensor_of(std::int32_t t) const { return t < 0 ? t : tensor_places_[t]; }

  constexpr void copy_tensors(graph& made) {
    biases_.resize(whole_.nodes.size(), -1);
    for (std::int32_t t = 0; t < tensor_count(); ++t) {
      const tensor& atom = whole_.at(t);
      if (atom.producer >= 0 && is_gone_[atom.producer]) {
        const std::int32_t read = whole_.input_of(whole_.node_at(atom.producer), 0);
        tensor_places_.push_back(tensor_places_[read]);
        continue;
      }
      tensor_places_.push_back(static_cast<std::int32_t>(made.tensors.size()));
      if (is_parameter_or_state(atom) && is_gone_[atom.owner]) {
        continue;
      }
      made.tensors.push_back(atom);
      if (is_parameter_or_state(atom) && lacks_bias(atom.owner)) {
        biases_[atom.owner] = static_cast<std::int32_t>(made.tensors.size());
        made.tensors.push_back(bias_beside(atom));
      }
    }
    for (tensor& atom : made.tensors) {
      atom.producer = node_of(atom.producer);
      atom.owner = node_of(atom.owner);
      atom.view_of = tensor_of(atom.view_of);
      atom.mask = tensor_of(atom.mask);
      atom.steps_of = tensor_of(atom.steps_of);
      atom.target_of = tensor_of(atom.target_of);
    }
  }

  constexpr tensor bias_beside(const tensor& kernel) const {
    const node& owner = whole_.node_at(kernel.owner);
    const shape& made = whole_.at(whole_.output_of(owner, 0)).extents;
    tensor bias = kernel;
    bias.extents = {made[made.rank - 1]};
    bias.start = {initializer_kind::zeros};
    bias.rules = nullptr;
    bias.lies = storage::panel_bias;
    bias.name = "bias";
    return bias;
  }

  constexpr void copy_nodes(graph& made) {
    for (std::int32_t i = 0; i < node_count(); ++i) {
      if (is_gone_[i]) {
        continue;
      }
      node here = whole_.node_at(i);
      const std::int32_t operands = here.inputs + here.outputs + here.parameters;
      const std::int32_t first = here.first_operand;
      here.first_operand = static_cast<std::int32_t>(made.operands.size());
      for (std::int32_t k = first; k < first + operands; ++k) {
        made.operands.push_back(tensor_of(whole_.operands[k]));
      }
      if (into_[i] >= 0) {
        here.rule->folds_channels(here.options);
      }
      if (lacks_bias(i)) {
        made.operands.push_back(biases_[i]);
        ++here.parameters;
      }
      made.nodes.push_back(here);
    }
  }

  constexpr void copy_layers(graph& made) const {
    for (layer_record layer : whole_.layers) {
      std::int32_t kept = 0;
      for (std::int32_t n = layer.first_node; n < layer.first_node + layer.nodes; ++n) {
        kept += is_gone_[n] ? 0 : 1;
      }
      layer.first_node = layer.first_node < node_count() ? node_of(layer.first_node) : 0;
      layer.nodes = kept;
      layer.output = tensor_of(layer.output);
      made.layers.push_back(layer);
    }
  }

  graph_view whole_;
  list<std::int32_t> into_;     ///< by node: the normalisation that it takes in, or -1
  list<bool> is_gone_;          ///< by node: it is folded
  list<std::int32_t> uses_;     ///< by tensor
  list<std::int32_t> numbers_;  ///< by parameter or state: its number among all of them
  bool found_ = false;
  list<std::int32_t> node_places_;    ///< by node of the whole model
  list<std::int32_t> tensor_places_;  ///< by tensor of the whole model
  list<std::int32_t> biases_;         ///< by node: the bias that it is given, or -1
};

}  // namespace ipu_dsl
