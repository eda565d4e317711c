// SPDX-License-Identifier: MIT
// What predicting one micro-batch on one thread does: a list of calls, resolved by the compiler.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/plan/compile.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A model compiled for a predictor: without a loss, all stages on one device, one micro-batch.
/// (Of no model it is what `compile` of no model is.)
template <typename M, typename Batch>
using compiled_for_inference = compile<M, Batch, sequential_schedule, devices<1>>;

/// Whose memory an operand lies in.
enum class operand_owner : std::uint8_t {
  weights,
  activations,
  features,  ///< the caller's samples themselves, where rows need no padding
  output     ///< the caller's results themselves, likewise
};

struct prediction_operand {
  operand_owner owner = operand_owner::activations;
  std::int64_t offset = 0;  ///< bytes
  std::int32_t number = 0;  ///< of the caller's: which input or output
};

/// An input of the model, or an output.
struct prediction_end {
  prediction_operand where;  ///< where calls look for samples, or leave results
  std::size_t elements = 0;  ///< of a sample
  dtype type = dtype::float32;
  std::int32_t classes = 0;  ///< integers lie in [0, classes)
};

/// A call of the plan; its operands stand one after the other. It says everything that run time
/// asks for, so that a program holds no plan.
struct prediction_call {
  std::int32_t kernel = 0;  ///< of the distinct ones; -1: hands out an output
  std::int32_t first_operand = 0;
  std::int32_t samples = 1;  ///< see `call`
  std::int32_t steps = 1;
  std::uint64_t stream = 0;  ///< of random numbers
  float scalars[2] = {};
  std::int32_t output = 0;          ///< which is handed out
  std::int32_t run_values[2] = {};  ///< see `call`
};

/// What a predictor knows of its program besides the calls.
struct prediction_facts {
  prediction_end inputs[most_sources] = {};
  prediction_end outputs[most_outputs] = {};
  std::size_t input_count = 0;
  std::size_t output_count = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t activation_bytes = 0;
  std::size_t calls = 0;
  std::size_t operands = 0;
};

/// A prediction while the compiler evaluates.
struct prediction {
  list<prediction_call> calls;
  list<prediction_operand> operands;
  prediction_facts facts;
};

/// Resolves a predict program. What the feed and the outfeed do for a session, the caller's own
/// memory does here where it lies as the kernels want it.
class prediction_resolver {
  struct buffer_end {
    std::int32_t buffer = -1;
    bool in_place = false;  ///< the caller's memory is that buffer
  };

 public:
  constexpr prediction_resolver(const graph_view& model, const program_plan_view& plan,
                                std::int64_t weight_bytes)
      : model_(model), plan_(plan) {
    made_.facts.weight_bytes = weight_bytes;
  }

  constexpr prediction resolve() {
    lay_out_edges();
    find_ends();
    for (const action& what : plan_.actions.actions) {
      const std::size_t last = last_call_entry(what.stage, what.kind);
      for (std::int32_t i = plan_.first_call[action_entry(what.stage, what.kind)];
           i < plan_.first_call[last]; ++i) {
        resolve_call(i);
      }
    }
    list_ends();
    made_.facts.calls = made_.calls.size();
    made_.facts.operands = made_.operands.size();
    return made_;
  }

 private:
  /// What the call of this number exchanges with the caller.
  constexpr transfer_kind transfer_of(std::size_t index) const {
    return plan_.codes[plan_.code_of_call[index]].transfer;
  }

  /// One micro-batch: one slot an edge is enough. They lie behind what the device needs.
  constexpr void lay_out_edges() {
    std::int64_t end = plan_.bytes_of_device[0] - made_.facts.weight_bytes;
    for (const edge& link : plan_.edges) {
      edge_begin_.push_back(end);
      end += link.bytes;
    }
    made_.facts.activation_bytes = end;
  }

  /// The output that an outfeed hands out.
  static constexpr std::int32_t output_of(const call& row) {
    return row.key.as<outfeed_call>().output;
  }

  constexpr std::int32_t buffer_of(const call& row, std::int32_t operand) const {
    return plan_.operands[row.first_operand + operand];
  }

  /// The buffers of samples and results, and whether the caller's memory can stand for them: rows
  /// without padding, written by nobody else. What is handed out twice is one buffer.
  constexpr void find_ends() {
    for (std::size_t index = 0; index < plan_.calls.size(); ++index) {
      const call& row = plan_.calls[index];
      if (transfer_of(index) == transfer_kind::infeed) {
        for (std::int32_t i = 0; i < row.writes; ++i) {
          const tensor& atom = model_.at(model_.source(tensor_role::input, i));
          inputs_.push_back({buffer_of(row, i), atom.type != dtype::float32 || unpadded(atom)});
        }
      } else if (transfer_of(index) == transfer_kind::outfeed) {
        outputs_.resize(model_.outputs.size());
        outputs_[output_of(row)].buffer = buffer_of(row, row.writes);
      }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const tensor& atom = model_.at(model_.output(static_cast<std::int32_t>(i)));
      outputs_[i].in_place = unpadded(atom) && end_of(inputs_, outputs_[i].buffer) < 0 &&
                             end_of(outputs_, outputs_[i].buffer) == static_cast<std::int32_t>(i);
    }
    for (std::size_t index = 0; index < plan_.calls.size(); ++index) {
      const call& row = plan_.calls[index];
      const bool computes = transfer_of(index) == transfer_kind::none;
      for (std::int32_t i = 0; i < row.writes && computes; ++i) {
        const std::int32_t written = end_of(inputs_, buffer_of(row, i));
        if (written >= 0) {
          inputs_[written].in_place = false;
        }
      }
    }
  }

  /// The first end that lies in a buffer, or -1.
  static constexpr std::int32_t end_of(list_view<buffer_end> ends, std::int32_t buffer) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].buffer == buffer) {
        return static_cast<std::int32_t>(i);
      }
    }
    return -1;
  }

  static constexpr bool unpadded(const tensor& of) {
    const auto elements = static_cast<std::int32_t>(of.extents.elements());
    return of.type == dtype::float32 && layout::row_stride(elements) == elements;
  }

  constexpr prediction_end described(std::int32_t tensor, std::int32_t buffer) const {
    const ipu_dsl::tensor& atom = model_.at(tensor);
    return {operand_of(buffer), static_cast<std::size_t>(atom.extents.elements()), atom.type,
            atom.classes};
  }

  constexpr void list_ends() {
    prediction_facts& facts = made_.facts;
    for (const buffer_end& input : inputs_) {
      const auto number = static_cast<std::int32_t>(facts.input_count);
      facts.inputs[facts.input_count] =
          described(model_.source(tensor_role::input, number), input.buffer);
      ++facts.input_count;
    }
    for (const buffer_end& output : outputs_) {
      const auto number = static_cast<std::int32_t>(facts.output_count);
      facts.outputs[facts.output_count] = described(model_.output(number), output.buffer);
      ++facts.output_count;
    }
  }

  constexpr void resolve_call(std::int32_t index) {
    const call& row = plan_.calls[index];
    const transfer_kind exchanged = transfer_of(static_cast<std::size_t>(index));
    if (exchanged == transfer_kind::outfeed) {
      made_.calls.push_back({.kernel = -1, .output = output_of(row)});
    }
    if (exchanged != transfer_kind::none) {
      return;
    }
    made_.calls.push_back({plan_.code_of_call[index],
                           static_cast<std::int32_t>(made_.operands.size()),
                           row.samples,
                           row.steps,
                           plan_.stream_of(row),
                           {row.scalars[0], row.scalars[1]},
                           0,
                           {row.run_values[0], row.run_values[1]}});
    for (std::int32_t i = 0; i < row.writes + row.reads; ++i) {
      made_.operands.push_back(operand_of(buffer_of(row, i)));
    }
  }

  constexpr prediction_operand operand_of(std::int32_t buffer) const {
    const std::int32_t input = end_of(inputs_, buffer);
    if (input >= 0 && inputs_[input].in_place) {
      return {operand_owner::features, 0, input};
    }
    const std::int32_t output = end_of(outputs_, buffer);
    if (output >= 0 && outputs_[output].in_place) {
      return {operand_owner::output, 0, output};
    }
    const placement& where = plan_.placements[buffer];
    if (where.edge >= 0) {
      return {operand_owner::activations, edge_begin_[where.edge] + where.offset};
    }
    if (where.offset < made_.facts.weight_bytes) {
      return {operand_owner::weights, where.offset};
    }
    return {operand_owner::activations, where.offset - made_.facts.weight_bytes};
  }

  graph_view model_;
  program_plan_view plan_;
  list<buffer_end> inputs_;
  list<buffer_end> outputs_;
  list<std::int64_t> edge_begin_;  ///< by edge
  prediction made_;
};

/// Bytes of all parameters and states of a model on one device; they lie before everything else.
template <compiled_model C>
inline constexpr std::int64_t weight_bytes_of = parameter_layout_of<C>.view().bytes_of_device[0];

/// A prediction in static storage, with room for as many calls and operands as the plan has.
template <std::size_t Calls, std::size_t Operands>
struct frozen_prediction {
  frozen_list<prediction_call, Calls> all_calls;
  frozen_list<prediction_operand, Operands> all_operands;
  prediction_facts facts;

  constexpr explicit frozen_prediction(const prediction& made) : facts(made.facts) {
    std::copy(made.calls.begin(), made.calls.end(), all_calls.elements);
    std::copy(made.operands.begin(), made.operands.end(), all_operands.elements);
  }

  constexpr list_view<prediction_call> calls() const { return all_calls.view().first(facts.calls); }

  constexpr list_view<prediction_operand> operands() const {
    return all_operands.view().first(facts.operands);
  }
};

template <compiled_model C>
constexpr prediction resolve_prediction() {
  program_plan_view plan = planned_program_of<C, program_kind::predict>.plan.view();
  plan.code_of_call = named_kernels_of<C, program_kind::predict>.of_call.view();
  plan.codes = named_kernels_of<C, program_kind::predict>.distinct.view();
  plan.streams = node_streams_of<C>.view();
  return prediction_resolver(planned_graph_of<C>.view(), plan, weight_bytes_of<C>).resolve();
}

/// What a predictor of a compiled model does.
template <compiled_model C>
inline constexpr frozen_prediction<plan_sizes_of<C, program_kind::predict>.calls,
                                   plan_sizes_of<C, program_kind::predict>.operands>
    prediction_of{resolve_prediction<C>()};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
