// SPDX-License-Identifier: MIT
// From a graph to kernel calls: what the actions of each stage really do.
#pragma once

#include <cstdint>
#include <utility>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/constraint.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/penalty.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/plan/forward_ways.hpp>
#include <ipu_dsl/plan/gradient_ways.hpp>
#include <ipu_dsl/plan/live_nodes.hpp>
#include <ipu_dsl/plan/lowered_program.hpp>

namespace ipu_dsl {

/// What the options of a compilation ask of a training program.
struct training_form {
  std::int32_t replicas = 1;
  bool fuses_updates = true;  ///< into weight gradients, where that can be
  bool hands_out = false;     ///< the outputs of the model
};

/// Lowers a graph once for one program.
class lowering {
 public:
  constexpr lowering(const graph_view& model, program_kind program, std::int32_t batch,
                     const family* optimizer, backward_form form = backward_form::whole,
                     const training_form& training = {})
      : model_(model),
        index_(model),
        live_(live_nodes(model, program)),
        hands_out_(program == program_kind::predict || training.hands_out),
        computed_(live_nodes(model, program)) {
    result_.form = form;
    facts_.program = program;
    facts_.batch = batch;
    facts_.optimizer = optimizer;
    facts_.replicas = training.replicas;
    facts_.fuses_updates = training.fuses_updates;
    if (hands_out_) {
      compute_outputs();
    }
    forward_ways(model_, computed_, facts_).find();
    gradient_ways(model_, live_, facts_).find();
  }

  /// Once; with what some of the calls access if that is asked for.
  constexpr lowered_program lower(const index_range& noted = {}) {
    result_.made.noted = noted;
    expect();
    for (std::int32_t stage = 0; stage < model_.stages; ++stage) {
      for (int kind = 0; kind < action_kinds; ++kind) {
        result_.first_call.push_back(static_cast<std::int32_t>(result_.made.calls.size()));
        lower_action(stage, static_cast<action_kind>(kind));
      }
    }
    result_.first_call.push_back(static_cast<std::int32_t>(result_.made.calls.size()));
    result_.replicas = facts_.replicas;
    return std::move(result_);
  }

 private:
  constexpr void compute_outputs() {
    const list<bool> predicted = live_nodes(model_, program_kind::predict);
    for (std::size_t i = 0; i < computed_.size(); ++i) {
      computed_[i] = computed_[i] || predicted[i];
    }
  }

  constexpr std::int32_t node_count() const {
    return static_cast<std::int32_t>(model_.nodes.size());
  }

  constexpr bool trains() const { return facts_.program == program_kind::train; }

  /// What most layers make: growing costs a third of the steps.
  constexpr void expect() {
    const std::size_t nodes = model_.nodes.size() + 2;
    result_.made.calls.reserve((trains() ? 5 : 1) * nodes);
    result_.made.operands.reserve((trains() ? 24 : 6) * nodes);
    result_.made.buffers.reserve((trains() ? 14 : 6) * nodes);
    if (result_.made.noted.end > 0) {
      result_.made.accesses.axes.reserve((trains() ? 14 : 3) * nodes);
      result_.made.accesses.reaches.reserve((trains() ? 50 : 12) * nodes);
      result_.made.accesses.operands.reserve((trains() ? 26 : 6) * nodes);
      result_.made.accesses.calls.reserve((trains() ? 5 : 1) * nodes);
    }
  }

  /// Whether a gradient can come through a live node.
  constexpr bool hands_gradient_back(std::int32_t i) const {
    return live_[i] && gives_gradient_back(model_.node_at(i));
  }

  constexpr emitter at_node(std::int32_t i, call_phase phase) {
    return emitter(model_, facts_, index_, result_.made, i, phase);
  }

  constexpr void lower_action(std::int32_t stage, action_kind kind) {
    const auto index = static_cast<std::size_t>(kind);
    if (kind == action_kind::forward) {
      lower_forward(stage);
    } else if (kind == action_kind::update && trains()) {
      lower_update(stage);
    } else if (trains() && is_backward_of(kind, result_.form)) {
      lower_backward(stage, begins_backward[index], ends_backward[index]);
    }
  }

  constexpr void lower_forward(std::int32_t stage) {
    if (stage == 0) {
      at_node(0, call_phase::forward).read_feed();
    }
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      // In training the loss comes with its gradient, in one call of the backward pass.
      const bool later = trains() && is_minimised(here.purpose);
      if (here.stage == stage && computed_[i] && !later && !is_applied(here)) {
        emitter emit = at_node(i, call_phase::forward);
        here.rule->forward(emit);
      }
    }
    if (hands_out_) {
      lower_outputs(stage);
    }
  }

  /// Whether the layer before an activation has applied it.
  constexpr bool is_applied(const node& here) const {
    return here.rule->only_activates &&
           facts_.applied[model_.input_of(here, 0)] != activation_kind::linear;
  }

  /// Each where it is made.
  constexpr void lower_outputs(std::int32_t stage) {
    for (std::size_t i = 0; i < model_.outputs.size(); ++i) {
      const std::int32_t made = model_.outputs[i].tensor;
      const std::int32_t producer = model_.at(made).producer;
      if (model_.stage_of(made) == stage) {
        at_node(producer < 0 ? 0 : producer, call_phase::forward)
            .write_output(static_cast<std::int32_t>(i));
      }
    }
  }

  constexpr void lower_backward(std::int32_t stage, bool input_gradients, bool weight_gradients) {
    for (std::int32_t i = node_count() - 1; i >= 0; --i) {
      const node& here = model_.node_at(i);
      if (here.stage != stage || !hands_gradient_back(i) || !learns(here)) {
        continue;
      }
      if (input_gradients) {
        lower_input_gradient(here, i);
      }
      if (weight_gradients && !here.frozen) {
        emitter emit = at_node(i, call_phase::weight_gradient);
        here.rule->weight_gradient(emit);
      }
    }
  }

  constexpr void lower_input_gradient(const node& here, std::int32_t i) {
    emitter emit = at_node(i, call_phase::input_gradient);
    const bool is_loss = is_minimised(here.purpose);
    for (std::int32_t output = 0; !is_loss && output < here.outputs; ++output) {
      emit.sum_output_gradient(output);
    }
    here.rule->input_gradient(emit);
  }

  /// A node without anything that learns at or before it has no backward pass.
  constexpr bool learns(const node& here) const {
    return is_minimised(here.purpose) || model_.at(model_.output_of(here, 0)).needs_gradient;
  }

  /// Whether the update of a stage has to do with a node.
  constexpr bool is_updated(std::int32_t i, std::int32_t stage) {
    const node& here = model_.node_at(i);
    return here.stage == stage && hands_gradient_back(i) && here.parameters > 0;
  }

  /// Folds first, as they stand together: see `execution_table`.
  constexpr void lower_update(std::int32_t stage) {
    for (std::int32_t i = 0; i < node_count(); ++i) {
      if (is_updated(i, stage)) {
        emitter emit = at_node(i, call_phase::update);
        model_.node_at(i).rule->fold(emit);
      }
    }
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      if (is_updated(i, stage) && !here.frozen) {
        emitter emit = at_node(i, call_phase::update);
        if (!is_null(emit.fused_update())) {
          continue;
        }
        for (std::int32_t parameter = 0; parameter < here.parameters; ++parameter) {
          if (emit.updates(parameter)) {
            emit.sum_accumulators(parameter);
            add_penalty(emit, parameter);
          }
        }
        facts_.optimizer->update(emit);
        for (std::int32_t parameter = 0; parameter < here.parameters; ++parameter) {
          if (emit.updates(parameter)) {
            constrain(emit, parameter);
          }
        }
      }
    }
  }

  graph_view model_;
  buffer_index index_;
  list<bool> live_;  ///< by node: whether what the program is for needs it
  bool hands_out_ = false;
  list<bool> computed_;  ///< by node: live, or on the way to an output that is handed out
  lowering_facts facts_;
  lowered_program result_;
};

}  // namespace ipu_dsl
