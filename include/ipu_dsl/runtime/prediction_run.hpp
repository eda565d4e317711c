// SPDX-License-Identifier: MIT
// What a call of a predictor does: its kernels, in the caller's memory and its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/runtime/memory_block.hpp>
#include <ipu_dsl/runtime/prediction_code.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The addresses of all operands of a prediction, and its calls.
template <compiled_model C>
class prediction_run {
  static constexpr const auto& program = prediction_of<C>;
  static constexpr const prediction_facts& facts = program.facts;
  static constexpr std::size_t batch = static_cast<std::size_t>(C::settings.micro_batch);
  static constexpr std::size_t input_count = facts.input_count;
  static constexpr std::size_t output_count = facts.output_count;
  static constexpr std::int32_t value_count =
      planned_graph_of<C>.view().count(tensor_role::run_value);
  using run_values = frozen_list<float, std::size_t{value_count} + 1>;

  /// What the values of a run start with: known to the compiler, so that no program carries the
  /// graph for them.
  static consteval run_values first_values() {
    const graph_view model = planned_graph_of<C>.view();
    run_values made;
    for (std::int32_t i = 0; i < value_count; ++i) {
      made.elements[i] = model.at(model.find(tensor_role::run_value, i)).start.value;
    }
    return made;
  }

  /// Whether the results of a stream are kept apart: those of a single output that lie where its
  /// kernel left them stay there.
  static constexpr bool keeps_results =
      output_count > 1 || facts.outputs[0].where.owner != operand_owner::activations;

  /// Whether a kernel could write over an input before all of it is read, where the caller's arrays
  /// overlap or a result is the next input.
  static constexpr bool may_write_over_inputs() {
    bool found = output_count > 1;
    for (std::size_t in = 0; in < input_count; ++in) {
      const prediction_end& input = facts.inputs[in];
      for (std::size_t out = 0; out < output_count; ++out) {
        const prediction_end& output = facts.outputs[out];
        const bool in_place = input.where.owner == operand_owner::features &&
                              output.where.owner == operand_owner::output;
        found = found || in_place || output.elements >= input.elements;
      }
    }
    return found;
  }

  /// All samples of an input.
  static constexpr std::size_t input_bytes(std::size_t number) {
    const prediction_end& input = facts.inputs[number];
    return batch * input.elements * static_cast<std::size_t>(bytes_of(input.type));
  }

  /// Where the copy of an input begins, behind all else; behind the last: the end.
  static constexpr std::size_t copy_begin(std::size_t number) {
    std::size_t begin = bytes_without_copies;
    for (std::size_t i = 0; i < number; ++i) {
      begin += (input_bytes(i) + 3) / 4 * 4;
    }
    return begin;
  }

  /// Where an output is kept, in floats behind the activations; behind the last: of all.
  static constexpr std::size_t kept_begin(std::size_t number) {
    std::size_t before = 0;
    for (std::size_t i = 0; i < number; ++i) {
      before += facts.outputs[i].elements;
    }
    return before;
  }

  static constexpr std::size_t bytes_without_copies =
      static_cast<std::size_t>(facts.activation_bytes) +
      (batch == 1 && keeps_results ? kept_begin(output_count) * sizeof(float) : 0);

 public:
  /// Of activations, of the results of a stream, and of inputs that must be copied at times.
  static constexpr std::size_t bytes =
      may_write_over_inputs() ? copy_begin(input_count) : bytes_without_copies;

  prediction_run(const std::byte* weights, memory_block memory) : memory_(std::move(memory)) {
    for (std::size_t i = 0; i < facts.operands; ++i) {
      const prediction_operand& operand = program.all_operands[i];
      if (operand.owner == operand_owner::activations) {
        operands_[i] = memory_.data() + operand.offset;
      }
    }
    read_from(weights);
  }

  /// What is carried from call to call is zero again.
  void forget() noexcept { std::fill_n(memory_.data(), bytes, std::byte{0}); }

  /// The value of the run of this number, from the next call on.
  void set_value(std::int32_t number, float value) noexcept { values_.elements[number] = value; }

  /// Reads other weights from the next call on.
  void read_from(const std::byte* weights) noexcept {
    // No call writes weights, although operands are addresses of anything.
    std::byte* const shared = const_cast<std::byte*>(weights);
    for (std::size_t i = 0; i < facts.operands; ++i) {
      const prediction_operand& operand = program.all_operands[i];
      if (operand.owner == operand_owner::weights) {
        operands_[i] = shared + operand.offset;
      }
    }
  }

  /// Whether arrays have the lengths of the inputs, and their integers can be read.
  static bool fit(const plain_array* given) noexcept {
    for (std::size_t i = 0; i < input_count; ++i) {
      const prediction_end& input = facts.inputs[i];
      if (given[i].count != batch * input.elements) {
        return false;
      }
      if (input.type == dtype::int32 && !lie_within(given[i], input.classes)) {
        return false;
      }
    }
    return true;
  }

  /// The same of room for the outputs.
  static bool fit(const std::span<float>* room) noexcept {
    for (std::size_t i = 0; i < output_count; ++i) {
      if (room[i].size() != batch * facts.outputs[i].elements) {
        return false;
      }
    }
    return true;
  }

  /// The outputs, each [batch, elements], for inputs that are likewise.
  void operator()(const void* const* given, float* const* outputs) noexcept {
    const void* inputs[input_count];
    for (std::size_t i = 0; i < input_count; ++i) {
      inputs[i] = readable(i, given[i], outputs);
    }
    take(inputs, outputs);
    std::int32_t valid = static_cast<std::int32_t>(batch);
    run_context context;
    context.micro_batch_size = static_cast<std::uint32_t>(batch);
    context.valid = &valid;
    for (const prediction_call& row : program.calls()) {
      if (row.kernel < 0) {
        // Of a single output the compiler knows all that is to be done.
        give(output_count == 1 ? 0 : static_cast<std::size_t>(row.output), inputs, outputs);
        continue;
      }
      context.stream = row.stream;
      context.samples = row.samples;
      if constexpr (value_count > 0) {
        tell_values(row);
      }
      const float* const scalars = value_count > 0 ? told_ : row.scalars;
      for (context.step = 0; context.step < row.steps; ++context.step) {
        prediction_functions_of<C>[row.kernel](context, &operands_[row.first_operand], scalars);
      }
    }
  }

  /// Where the results of an output stay until the next sample of a stream.
  float* result(std::size_t number) noexcept {
    return keeps_results ? address(facts.activation_bytes) + kept_begin(number)
                         : address(facts.outputs[number].where.offset);
  }

 private:
  /// An input where it is, or a copy of what kernels could write over before it is read.
  const void* readable(std::size_t number, const void* given, float* const* outputs) noexcept {
    if constexpr (may_write_over_inputs()) {
      const auto* const samples = static_cast<const std::byte*>(given);
      if (is_written(samples, input_bytes(number), outputs)) {
        std::byte* const copy = memory_.data() + copy_begin(number);
        std::copy_n(samples, input_bytes(number), copy);
        return copy;
      }
    }
    return given;
  }

  /// Whether so many bytes lie in an output or in this run's own memory.
  bool is_written(const std::byte* first, std::size_t count, float* const* outputs) const noexcept {
    bool found = arrays::overlap(first, count, memory_.data(), bytes_without_copies);
    for (std::size_t i = 0; i < output_count; ++i) {
      found = found || arrays::overlap(first, count, outputs[i],
                                       batch * facts.outputs[i].elements * sizeof(float));
    }
    return found;
  }

  static bool lie_within(const plain_array& given, std::int32_t classes) noexcept {
    const auto* const numbers = static_cast<const std::int32_t*>(given.first);
    return std::all_of(numbers, numbers + given.count,
                       [classes](std::int32_t number) { return number >= 0 && number < classes; });
  }

  /// Kernels read the samples where they are, unless rows have to be padded.
  void take(const void* const* inputs, float* const* outputs) noexcept {
    for (std::size_t i = 0; i < facts.operands; ++i) {
      const prediction_operand& operand = program.all_operands[i];
      if (operand.owner == operand_owner::features) {
        operands_[i] = const_cast<void*>(inputs[operand.number]);
      } else if (operand.owner == operand_owner::output) {
        operands_[i] = outputs[operand.number];
      }
    }
    for (std::size_t i = 0; i < input_count; ++i) {
      if (facts.inputs[i].where.owner == operand_owner::activations) {
        pad(i, static_cast<const std::byte*>(inputs[i]));
      }
    }
  }

  /// Copies the rows of an input; those of floats are padded.
  void pad(std::size_t number, const std::byte* samples) noexcept {
    const prediction_end& input = facts.inputs[number];
    const auto size = static_cast<std::size_t>(bytes_of(input.type));
    const bool padded = input.type == dtype::float32;
    const std::size_t row = input.elements * size;
    const std::size_t stride = padded ? padded_elements(input) * size : row;
    std::byte* to = memory_.data() + input.where.offset;
    for (std::size_t sample = 0; sample < batch; ++sample) {
      std::copy_n(samples + sample * row, row, to);
      std::fill_n(to + row, stride - row, std::byte{0});
      to += stride;
    }
  }

  /// Kernels write the results where they belong, unless their rows are padded or they lie with
  /// what else is handed out.
  void give(std::size_t number, const void* const* inputs, float* const* outputs) noexcept {
    const prediction_end& made = facts.outputs[number];
    const operand_owner owner = made.where.owner;
    const float* rows = nullptr;
    std::size_t stride = made.elements;
    if (owner == operand_owner::features) {
      rows = static_cast<const float*>(inputs[made.where.number]);
    } else if (owner == operand_owner::output) {
      rows = outputs[made.where.number];
    } else {
      rows = address(made.where.offset);
      stride = padded_elements(made);
    }
    float* const output = outputs[number];
    for (std::size_t sample = 0; sample < batch && output != rows; ++sample) {
      std::copy_n(rows + sample * stride, made.elements, output + sample * made.elements);
    }
  }

  /// From row to row, where they are padded.
  static std::size_t padded_elements(const prediction_end& end) {
    return static_cast<std::size_t>(layout::row_stride(static_cast<std::int32_t>(end.elements)));
  }

  float* address(std::int64_t offset) noexcept {
    return reinterpret_cast<float*>(memory_.data() + offset);
  }

  /// The scalars of a call, of which some were given.
  void tell_values(const prediction_call& row) noexcept {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int32_t value = row.run_values[i];
      told_[i] = value == 0 ? row.scalars[i] : values_.elements[value - 1];
    }
  }

  memory_block memory_;
  run_values values_ = first_values();
  float told_[2] = {};
  void* operands_[facts.operands + 1] = {};
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
