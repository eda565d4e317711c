// SPDX-License-Identifier: MIT
// Whether a lowered program is defined: everything that is read was written before, everything that
// is to be learned is written by somebody.
// Over 300 lines: one walk over calls, and a sentence for each thing that can be missing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/plan/lifetime.hpp>
#include <ipu_dsl/plan/live_nodes.hpp>
#include <ipu_dsl/plan/lowered_program.hpp>

namespace ipu_dsl {

/// Walks the calls of a program in the order in which a micro-batch meets them, and finds the first
/// rule of a family that is missing: ours and a user's are judged alike.
class definition_check {
 public:
  constexpr definition_check(const graph_view& model, const lowered_view& program,
                             program_kind kind)
      : model_(model),
        program_(program),
        kind_(kind),
        live_(live_nodes(model, kind)),
        written_(program.buffers.size(), false),
        written_by_(model.tensors.size(), 0),
        contribution_(model.operands.size(), -1),
        accumulated_(model.operands.size()) {}

  /// The first thing wrong, or nothing.
  constexpr problem find() {
    note_buffers();
    walk();
    for (std::int32_t i = 0; i < node_count() && !found_.found(); ++i) {
      check_node(i);
    }
    return found_;
  }

 private:
  /// What of a tensor some call writes, and whether an update takes in what micro-batches
  /// contribute.
  enum mark : std::uint8_t { value = 1, gradient = 2, folded = 4 };

  constexpr std::int32_t node_count() const {
    return static_cast<std::int32_t>(model_.nodes.size());
  }

  constexpr bool trains() const { return kind_ == program_kind::train; }

  /// Parameters, states and what the optimizer keeps are there before the first call.
  constexpr void note_buffers() {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const buffer& memory = program_.buffers[i];
      written_[i] =
          memory.life == buffer_life::persistent && memory.role != buffer_role::accumulator;
      if (memory.role == buffer_role::contribution) {
        contribution_[memory.index] = static_cast<std::int32_t>(i);
      }
    }
  }

  constexpr void walk() {
    for (std::int32_t i = 0; i < positions_of(model_.stages); ++i) {
      const step next = step_at(i, model_.stages, program_.form);
      walk_action(next.stage, next.kind);
    }
    for (std::int32_t stage = 0; stage < model_.stages; ++stage) {
      walk_action(stage, action_kind::update);
    }
  }

  constexpr void walk_action(std::int32_t stage, action_kind kind) {
    const std::size_t entry = action_entry(stage, kind);
    for (std::int32_t i = program_.first_call[entry];
         i < program_.first_call[entry + 1] && !found_.found(); ++i) {
      walk_call(program_.calls[i]);
    }
  }

  constexpr void walk_call(const emitted_call& row) {
    const std::int32_t* const operands = program_.operands.data() + row.first_operand;
    for (std::int32_t i = row.writes; i < row.writes + row.reads; ++i) {
      if (!written_[operands[i]] && !adds_to(row, operands[i])) {
        refuse_read(row, program_.buffers[operands[i]]);
        return;
      }
    }
    for (std::int32_t i = 0; i < row.writes; ++i) {
      const buffer& memory = program_.buffers[operands[i]];
      if (memory.life != buffer_life::micro_batch && row.phase != call_phase::update) {
        check_lasting_write(row, memory);
      }
      written_[operands[i]] = true;
      note_written(memory);
    }
    for (std::int32_t i = row.writes; row.phase == call_phase::update && i < row.writes + row.reads;
         ++i) {
      note_folded(program_.buffers[operands[i]]);
    }
  }

  /// Micro-batches read states, as they stood when the update began, and contribute to them in
  /// training alone. What is learned is written with its gradient at the earliest.
  constexpr void check_lasting_write(const emitted_call& row, const buffer& memory) {
    if (memory.role == buffer_role::scratch) {
      check_carried(row);
      return;
    }
    const tensor& atom = model_.at(memory.tensor);
    const bool learned =
        atom.role != tensor_role::state && row.phase == call_phase::weight_gradient;
    if (memory.role == buffer_role::value && memory.life == buffer_life::persistent && !learned) {
      fail(place_of(row),
           refuse(label("a rule for ")
                      << rule_of(row.phase) << " that only reads parameters and states",
                  label("one that writes ") << atom.name,
                  "in training write emit.state_contribution(...), and let .fold take it in"));
    } else if (memory.role == buffer_role::contribution && !trains()) {
      fail(place_of(row),
           refuse(label("a rule for ")
                      << rule_of(row.phase) << " that contributes to states in training alone",
                  label("a contribution to ") << atom.name << " elsewhere",
                  "ask emit.program() == program_kind::train first"));
    }
  }

  /// Whose sequences would they be in a training, or in an evaluation?
  constexpr void check_carried(const emitted_call& row) {
    if (kind_ != program_kind::predict) {
      fail(place_of(row),
           refuse("a state that is carried from step to step in prediction alone",
                  "one that is trained or judged",
                  "train the model itself, and give its weights to a predictor of one_step<...>"));
    }
  }

  constexpr void note_folded(const buffer& memory) {
    if (memory.life == buffer_life::each_micro_batch && memory.tensor >= 0) {
      written_by_[memory.tensor] |= folded;
    }
  }

  constexpr void note_written(const buffer& memory) {
    if (memory.tensor < 0) {
      return;
    }
    std::uint8_t& marks = written_by_[memory.tensor];
    if (memory.role == buffer_role::value) {
      marks |= value;
    } else if (memory.role == buffer_role::gradient) {
      marks |= gradient;
    } else if (memory.role == buffer_role::accumulator) {
      accumulated_[memory.index] = true;
    }
  }

  /// A gradient that continues from one micro-batch to the next is read by whoever writes it, and
  /// what a step writes by the steps behind it.
  constexpr bool adds_to(const emitted_call& row, std::int32_t operand) const {
    bool writes = false;
    for (std::int32_t i = 0; i < row.writes; ++i) {
      writes = writes || program_.operands[row.first_operand + i] == operand;
    }
    const bool goes_on =
        program_.buffers[operand].role == buffer_role::accumulator || row.steps > 1;
    return writes && goes_on;
  }

  // What is missing, told by whom it is expected of.

  constexpr void fail(const label& where, const problem& found) {
    if (!found_.found()) {
      found_ = found;
      found_.where = where;
    }
  }

  constexpr void refuse_read(const emitted_call& row, const buffer& memory) {
    switch (memory.role) {
      case buffer_role::value:
        refuse_value(row, memory);
        break;
      case buffer_role::gradient:
      case buffer_role::contribution:
        if (memory.life == buffer_life::each_micro_batch) {
          refuse_contribution(row, memory);
        } else {
          refuse_gradient(row, memory);
        }
        break;
      case buffer_role::accumulator:
        refuse_accumulator(memory.index);
        break;
      default:
        refuse_early(row, label("scratch ") << memory.index);
        break;
    }
  }

  /// The rule reads what comes later, or what only another program has.
  constexpr void refuse_early(const emitted_call& row, const label& what) {
    fail(place_of(row),
         refuse(label("a rule for ") << rule_of(row.phase) << " that reads what was written before",
                what, "a rule reads inputs, parameters and what it wrote itself"));
  }

  constexpr label place_of(const emitted_call& row) const {
    return row.node < 0 ? label(row.code->name) : model_.place_of(model_.node_at(row.node));
  }

  constexpr void refuse_value(const emitted_call& row, const buffer& memory) {
    const tensor& atom = model_.at(memory.tensor);
    if (atom.producer < 0) {
      refuse_early(row, atom.role == tensor_role::input ? "what the feed brings"
                                                        : "targets, which only training has");
    } else if (row.node == atom.producer && row.phase == call_phase::forward) {
      refuse_early(row, label("output ") << number_of_output(memory.tensor) << " itself");
    } else {
      refuse_output(atom.producer, number_of_output(memory.tensor));
    }
  }

  constexpr std::int32_t number_of_output(std::int32_t of) const {
    const node& producer = model_.node_at(model_.at(of).producer);
    std::int32_t number = 0;
    while (model_.output_of(producer, number) != of) {
      ++number;
    }
    return number;
  }

  constexpr void refuse_output(std::int32_t producer, std::int32_t number) {
    const node& here = model_.node_at(producer);
    // In training a loss comes with its gradient.
    const bool with_gradient = trains() && is_minimised(here.purpose);
    const std::string_view rule = with_gradient ? "input_gradient" : "forward";
    fail(model_.place_of(here),
         refuse(label("a rule for ") << rule << " that writes output " << number, "none",
                text<191>("in the family ")
                    << here.rule->name << ", let ." << rule << " append a call that writes "
                    << "emit.output_value(" << number << ")"));
  }

  /// Of a contribution that is its reader, of a gradient the one reader of its tensor or of a view.
  constexpr void refuse_gradient(const emitted_call& row, const buffer& memory) {
    if (row.phase == call_phase::forward) {
      refuse_early(row, "a gradient");
    } else if (memory.role == buffer_role::contribution) {
      refuse_input_gradient(memory.index);
    } else {
      const std::int32_t position = reading_position(memory.tensor);
      if (position < 0) {
        refuse_early(row, "the gradient of what nobody reads");
      } else {
        refuse_input_gradient(position);
      }
    }
  }

  /// Where in the operands a node that computes reads a tensor or a view of it; -1 if none does.
  constexpr std::int32_t reading_position(std::int32_t of) const {
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      for (std::int32_t input = 0; hands_back(i) && input < here.inputs; ++input) {
        if (model_.input_of(here, input) == of) {
          const bool passes_on = is_view(here);
          return passes_on ? reading_position(model_.output_of(here, 0))
                           : here.first_operand + input;
        }
      }
    }
    return -1;
  }

  constexpr void refuse_contribution(const emitted_call& row, const buffer& memory) {
    const node& here = model_.node_at(row.node);
    const std::int32_t own = memory.index - model_.use_of(here, 0);
    fail(place_of(row), refuse(label("a rule for forward that contributes to the state ")
                                   << model_.at(memory.tensor).name,
                               "none",
                               text<191>("in training let .forward write emit.state_contribution(")
                                   << own << ")"));
  }

  constexpr void refuse_input_gradient(std::int32_t position) {
    for (const node& here : model_.nodes) {
      const std::int32_t input = position - here.first_operand;
      if (input >= 0 && input < here.inputs) {
        fail(model_.place_of(here),
             refuse(label("a rule for input_gradient that writes that of input ")
                        << input << ", since layers before it learn",
                    "none",
                    text<191>("in the family ")
                        << here.rule->name << ", let .input_gradient append a call that writes "
                        << "emit.input_gradient(" << input << ")"));
      }
    }
  }

  constexpr void refuse_accumulator(std::int32_t use) {
    const node& here = model_.node_of_use(use);
    const std::int32_t number = use - model_.use_of(here, 0);
    const tensor& parameter = model_.at(model_.parameter_of(here, number));
    fail(model_.place_of(here),
         refuse(label("a rule for weight_gradient that writes that of parameter ")
                    << number << ", " << parameter.name,
                "none",
                text<191>("in the family ")
                    << here.rule->name << ", let .weight_gradient append a call that writes "
                    << "emit.accumulator(" << number << ")"));
  }

  // What nobody reads can be missing as well.

  constexpr bool is_view(const node& here) const {
    return here.outputs > 0 && model_.at(model_.output_of(here, 0)).view_of >= 0;
  }

  constexpr bool has(std::int32_t of, mark what) const { return (written_by_[of] & what) != 0; }

  /// A gradient comes to the node in training.
  constexpr bool hands_back(std::int32_t i) const {
    return trains() && live_[i] && model_.node_at(i).purpose != node_purpose::metric;
  }

  constexpr void check_node(std::int32_t i) {
    const node& here = model_.node_at(i);
    if (!live_[i] || is_view(here)) {
      return;
    }
    check_weights(i);
    for (std::int32_t output = 0; output < here.outputs; ++output) {
      if (!has(model_.output_of(here, output), value)) {
        check_unwritten(i, output);
      }
    }
    // Who reads what such a node leaves out is refused as the reader.
    const bool computes = !here.rule->hands_gradient_on;
    for (std::int32_t input = 0; computes && hands_back(i) && input < here.inputs; ++input) {
      const bool wanted = model_.at(model_.input_of(here, input)).needs_gradient;
      if (wanted && !writes_gradient(here.first_operand + input)) {
        refuse_input_gradient(here.first_operand + input);
      }
    }
    for (std::int32_t own = 0; hands_back(i) && own < here.parameters; ++own) {
      check_parameter(here, own);
    }
  }

  /// Who applies an activation writes what that makes instead of its own output.
  constexpr void check_unwritten(std::int32_t i, std::int32_t output) {
    const node& here = model_.node_at(i);
    const std::int32_t before = here.rule->only_activates ? producer_of_input(here) : -1;
    if (before >= 0 && model_.node_at(before).rule->applies_activation) {
      refuse_output(before, 0);
    } else if (!here.rule->applies_activation) {
      refuse_output(i, output);
    }
  }

  constexpr std::int32_t producer_of_input(const node& here) const {
    return model_.at(model_.input_of(here, 0)).producer;
  }

  /// A loss or a metric that is told what samples count reads it.
  constexpr void check_weights(std::int32_t i) {
    const node& here = model_.node_at(i);
    const std::int32_t last = here.inputs < 1 ? -1 : model_.input_of(here, here.inputs - 1);
    const bool told =
        last >= 0 && (model_.at(last).role == tensor_role::weight ||
                      (model_.at(last).is_mask && here.purpose != node_purpose::layer));
    if (!told) {
      return;
    }
    for (const emitted_call& row : program_.calls) {
      for (std::int32_t read = row.writes; row.node == i && read < row.writes + row.reads; ++read) {
        if (program_.buffers[program_.operands[row.first_operand + read]].tensor == last) {
          return;
        }
      }
    }
    fail(model_.place_of(here),
         refuse("a loss or a metric that reads what samples count", "one that does not",
                text<191>("in the family ") << here.rule->name
                                            << ", let its calls read emit.input_value("
                                               "emit.weight_input())"));
  }

  /// Follows views as the emitter does.
  constexpr bool writes_gradient(std::int32_t position) const {
    while (contribution_[position] < 0) {
      const std::int32_t of = model_.operands[position];
      const tensor& atom = model_.at(of);
      if (has(of, gradient) || atom.view_of < 0) {
        return has(of, gradient);
      }
      position = model_.node_at(atom.producer).first_operand;
    }
    return written_[contribution_[position]];
  }

  /// What a node contributes to a state is taken in by its update.
  constexpr void check_state(const node& here, std::int32_t own) {
    const std::int32_t of = model_.parameter_of(here, own);
    if (contribution_[model_.use_of(here, own)] >= 0 && !has(of, folded)) {
      fail(
          model_.place_of(here),
          refuse(label("a rule for fold that takes in the contributions to ") << model_.at(of).name,
                 "none",
                 text<191>("in the family ")
                     << here.rule->name << ", let .fold append a call that updates "
                     << "emit.parameter_value(" << own << ")"));
    }
  }

  constexpr void check_parameter(const node& here, std::int32_t own) {
    const std::int32_t of = model_.parameter_of(here, own);
    const tensor& atom = model_.at(of);
    if (atom.role == tensor_role::state) {
      check_state(here, own);
    } else if (!atom.trainable) {
      return;
    } else if (!accumulated_[model_.use_of(here, own)]) {
      refuse_accumulator(model_.use_of(here, own));
    } else if (!has(of, value)) {
      fail(model_.place_of(model_.node_at(atom.owner)),
           refuse(label("an update of parameter ") << atom.name, "none",
                  model_.node_at(atom.owner).rule->updates_with_gradient
                      ? "a family that says updates_with_gradient writes the parameters as well "
                        "where emit.fused_update() is not null; that of an optimizer has .update"
                      : "in the family of the optimizer write .update = update_each_parameter"));
    }
  }

  graph_view model_;
  lowered_view program_;
  program_kind kind_;
  list<bool> live_;                  ///< by node
  list<bool> written_;               ///< by buffer, so far
  list<std::uint8_t> written_by_;    ///< by tensor: marks
  list<std::int32_t> contribution_;  ///< the buffer, by position in graph_view::operands
  list<bool> accumulated_;           ///< by position in graph_view::operands
  problem found_;
};

}  // namespace ipu_dsl
