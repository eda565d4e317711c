// SPDX-License-Identifier: MIT
// What is wrong with a functional model that only the whole of it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/symbolic_tensor.hpp>

namespace ipu_dsl {

/// Looks at a graph once, with the tensors that are to be its outputs.
class whole_model_check {
 public:
  constexpr whole_model_check(const graph_view& model, list<std::int32_t> outputs)
      : model_(model), outputs_(std::move(outputs)) {}

  /// The first mistake.
  constexpr problem find() {
    check_outputs();
    check_stages();
    if (!found_.found()) {
      mark_read();
      refuse_unread_inputs();
      refuse_unread_layers();
    }
    return found_;
  }

 private:
  constexpr void fail(const label& where, const problem& found) {
    if (!found_.found()) {
      found_ = found;
      found_.where = where;
    }
  }

  /// Outputs are tensors of the model, each given once.
  constexpr void check_outputs() {
    if (outputs_.empty() || outputs_.size() > std::size_t{most_outputs}) {
      fail("output",
           refuse(label("1 to ") << most_outputs << " outputs", label() << outputs_.size()));
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      check_output(i);
    }
  }

  constexpr void check_output(std::size_t number) {
    label where = "output";
    if (outputs_.size() > 1) {
      where << " " << number;
    }
    if (outputs_[number] < 0) {
      fail(where, refuse_absent("a tensor of this model", outputs_[number]));
      return;
    }
    if (model_.at(outputs_[number]).role == tensor_role::run_value) {
      fail(where,
           refuse("a tensor of samples", label("the value ") << model_.at(outputs_[number]).name));
    }
    for (std::size_t earlier = 0; earlier < number; ++earlier) {
      if (outputs_[earlier] == outputs_[number]) {
        fail(where, refuse("a tensor of its own", label("that of output ") << earlier));
      }
    }
  }

  /// Every stage has a layer.
  constexpr void check_stages() {
    if (model_.nodes.empty()) {
      fail("build", refuse("a model of at least 1 layer", "none",
                           "call one on the input: build.layer<Dense<10>>(\"\", x)"));
    }
    list<std::int32_t> layers(model_.stages, 0);
    for (const node& here : model_.nodes) {
      ++layers[here.stage];
    }
    for (std::int32_t stage = 0; stage < model_.stages; ++stage) {
      if (layers[stage] == 0) {
        fail(label("stage ") << stage, refuse("at least 1 layer", "none",
                                              text<191>("call one behind build.stage(")
                                                  << stage << "), stages being numbered from 0"));
      }
    }
  }

  constexpr void mark_read() {
    read_.resize(model_.tensors.size(), false);
    for (const std::int32_t output : outputs_) {
      read_[output] = true;
    }
    for (const node& here : model_.nodes) {
      for (std::int32_t i = 0; i < here.inputs; ++i) {
        read_[model_.input_of(here, i)] = true;
      }
    }
  }

  /// What nobody reads was to be part of the model and is not.
  constexpr void refuse_unread_inputs() {
    for (std::size_t i = 0; i < read_.size(); ++i) {
      const tensor& atom = model_.tensors[i];
      const bool is_value = atom.role == tensor_role::run_value;
      if ((is_value || atom.role == tensor_role::input) && !read_[i]) {
        label where = is_value ? "value" : "input";
        where << (atom.name.empty() ? "" : " ") << atom.name;
        fail(where, refuse(is_value ? "a value that a layer reads" : "an input that a layer reads",
                           "one that nobody reads", "call a layer on it or take it out"));
      }
    }
  }

  constexpr void refuse_unread_layers() {
    for (const layer_record& layer : model_.layers) {
      const node& last = model_.node_at(layer.first_node + layer.nodes - 1);
      bool any = false;
      for (std::int32_t i = 0; i < last.outputs; ++i) {
        any = any || read_[model_.output_of(last, i)];
      }
      if (!any) {
        fail(where_is(layer), refuse("an output that a layer reads, or that build returns",
                                     "one that nobody reads", "call a layer on it or take it out"));
      }
    }
  }

  graph_view model_;
  list<std::int32_t> outputs_;
  list<bool> read_;  ///< by tensor
  problem found_;
};

}  // namespace ipu_dsl
