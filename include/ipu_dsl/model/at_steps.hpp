// SPDX-License-Identifier: MIT
// What stands at every step of sequences: of which it can be called.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// Whether an element takes all inputs of a call and gives all of its outputs back. Others stand
/// where one tensor goes on.
constexpr bool takes_call(const element& piece) {
  if (piece.kind == element_kind::at_steps) {
    return takes_call(*piece.parts[0]);
  }
  return piece.kind == element_kind::layer || piece.kind == element_kind::model ||
         piece.kind == element_kind::foreign || piece.deals_inputs > 0;
}

/// What deals the inputs of a call to its parts, in `TimeDistributed` or not.
constexpr const element& dealer_in(const element& piece) {
  return piece.kind == element_kind::at_steps ? dealer_in(*piece.parts[0]) : piece;
}

/// An input of several is said with its number.
constexpr label which_input(list_view<std::int32_t> inputs, std::size_t input) {
  label words;
  if (inputs.size() > 1) {
    words << " as input " << input;
  }
  return words;
}

/// The number of steps of the first sequence among the inputs of a layer; 0 if there is none.
constexpr std::int32_t steps_among(const graph& made, list_view<std::int32_t> inputs) {
  for (const std::int32_t input : inputs) {
    const shape& given = made.tensors[input].extents;
    if (given.rank > 1) {
      return given[0];
    }
  }
  return 0;
}

/// Said of an input that has no steps, of a layer whose sequences have so many.
constexpr problem no_sequence(const label& got, std::int32_t steps) {
  text<191> hint = "a vector has no steps: leave TimeDistributed<...> out";
  if (steps > 0) {
    hint = text<191>("RepeatVector<") << steps << "> makes a sequence of a vector";
  }
  return refuse_without_steps("a sequence, (steps, features) or more", got, hint);
}

/// What is wrong with what a layer is to be given a step at a time: sequences of as many steps.
/// Values of a run are the same at every step.
constexpr problem check_sequences(const graph& made, list_view<std::int32_t> inputs) {
  const std::int32_t steps = steps_among(made, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const tensor& given = made.tensors[inputs[i]];
    if (given.role == tensor_role::run_value) {
      continue;
    }
    if (given.extents.rank < 2) {
      return told_of_steps(
          made, list_view<std::int32_t>(&inputs[i], 1),
          no_sequence(label(describe(given.extents)) << which_input(inputs, i), steps));
    }
    if (given.extents[0] != steps) {
      return refuse(label("sequences of as many steps, ") << steps,
                    label() << given.extents[0] << which_input(inputs, i),
                    "TimeDistributed<...> takes a step of each at a time");
    }
  }
  return {};
}

}  // namespace ipu_dsl
