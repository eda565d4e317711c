// SPDX-License-Identifier: MIT
// What the losses and metrics have in common that judge the numbers of the last axis together: of a
// vector, or at each position of an image or a sequence.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/result_check.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

namespace last_axis_rules {

/// All axes but the last: one label for each position, of a vector one.
constexpr shape labels_of(const shape& scores) {
  shape found;
  for (std::int32_t axis = 0; axis + 1 < scores.rank; ++axis) {
    found.extents[axis] = scores[axis];
    ++found.rank;
  }
  return found;
}

/// How many numbers are judged together.
constexpr std::int32_t length_of(const shape& scores) {
  return scores[scores.rank - 1];
}

/// What is wrong with an output whose last axis is judged.
constexpr problem check_last_axis(node_draft& draft) {
  const shape output = draft.input(0);
  if (output.rank == 0) {
    return refuse("a vector, or positions of vectors", describe(output));
  }
  if (pads_positions(output) && draft.input_lies(0) != storage::positions) {
    return refuse("a vector", describe(output),
                  "a family that judges positions says so: .reads = {storage::positions}");
  }
  return {};
}

/// Scores of at least two classes, or a problem.
constexpr problem check_classes(node_draft& draft, const char* hint) {
  const shape scores = draft.input(0);
  const problem found = check_last_axis(draft);
  if (found.found() || length_of(scores) >= 2) {
    return found;
  }
  return refuse("scores of at least 2 classes", describe(scores), hint);
}

/// Whether the node is told labels, one for each row, not floats for each number.
constexpr bool told_labels(const emitter& emit) {
  return emit.input_shape(1).rank < emit.input_shape(0).rank;
}

/// Reads what is wanted at a position of a sample, and what it counts.
constexpr void read_wanted(emitter& emit, call_draft& call, const weighing& weights, axis_id sample,
                           axis_id position, axis_id number) {
  if (told_labels(emit)) {
    call.reads(emit.input_value(1).flat(), {sample, position});
  } else {
    call.reads(by_position(emit.input_value(1)), {sample, position, number});
  }
  if (weights.positions > 1) {
    call.reads(emit.input_value(emit.weight_input()).flat(), {sample, position});
  } else {
    sample_weights_rules::read(emit, call, sample);
  }
}

/// The nest that writes the result, from all samples.
constexpr void count(emitter& emit, call_draft& call, const weighing& weights) {
  const shape scores = emit.input_shape(0);
  check_result(emit, call, 2);
  const axis_id result = call.over(2);
  const axis_id sample = call.all(emit.batch());
  const axis_id position = call.all(positions_of(scores));
  const axis_id number = call.all(length_of(scores));
  call.writes(emit.output_value(0), {result})
      .reads(by_position(emit.input_value(0)), {sample, position, number});
  read_wanted(emit, call, weights, sample, position, number);
  call.costs(std::int64_t{emit.batch()} * scores.elements());
}

/// The nest that writes the gradient, row by row, and beside it the one that writes the result.
constexpr void differentiate(emitter& emit, call_draft& call, const weighing& weights) {
  const shape scores = emit.input_shape(0);
  const axis_id sample = call.over(emit.batch());
  const axis_id position = call.over(positions_of(scores));
  const axis_id number = call.all(length_of(scores));
  call.writes(by_position(emit.input_gradient(0)), {sample, position, number});
  call.beside();
  count(emit, call, weights);
  call.reads(by_position(emit.input_value(0)), {sample, position, number});
  read_wanted(emit, call, weights, sample, position, number);
}

}  // namespace last_axis_rules

}  // namespace ipu_dsl
