// SPDX-License-Identifier: MIT
// Calls of layers of sequences of which not all steps are there: those that are stand one behind
// the other while the layer walks them.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>

namespace ipu_dsl {

enum class masked_steps_variant : std::int32_t {
  packed,           ///< writes sequences, reads sequences, masks
  unpacked,         ///< the same back, zeros where nothing is
  repeated,         ///< writes what each step hands over, reads packed states, masks
  summed,           ///< writes the gradients of packed states, reads those of all steps, masks
  last,             ///< writes vectors, reads packed states, masks
  held,             ///< of two positions the first becomes the second, where it is masked
  last_added,       ///< adds vectors to the gradients of packed states, reads vectors, masks
  masked,           ///< writes sequences and masks, reads sequences; a scalar marks what is none
  masked_gradient,  ///< writes sequences, reads sequences, masks
  words             ///< writes masks, reads words
};

struct masked_steps_call {
  masked_steps_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  std::int32_t from_last;
  std::int32_t in_order;  ///< steps are handed over in the order of the walk
};

/// Calls of layers of sequences; no layer is made of it.
inline constexpr family masked_steps_family{.name = "masked steps"};

/// Sequences of the node at hand, of `units` numbers a step, and how they are walked.
struct masked_sequences {
  std::int32_t steps;
  std::int32_t units;
  bool from_last = false;
  bool in_order = false;

  constexpr masked_steps_call key(const emitter& emit, masked_steps_variant variant) const {
    return {.variant = variant,
            .batch = emit.batch(),
            .steps = steps,
            .units = units,
            .from_last = from_last ? 1 : 0,
            .in_order = in_order ? 1 : 0};
  }

  /// Sequences from sequences, by the mask of the node.
  constexpr void move(emitter& emit, masked_steps_variant variant, const buffer_ref& made,
                      const buffer_ref& read) const {
    call_draft call = emit.call_of(masked_steps_family, key(emit, variant));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps);
    call.writes(made, {sample, step, unit})
        .reads(read, {sample, gathered(), unit})
        .reads(emit.input_value(emit.mask_input()), {sample, step});
  }

  /// Vectors from sequences.
  constexpr void take_last(emitter& emit, const buffer_ref& vectors, const buffer_ref& read) const {
    call_draft call = emit.call_of(masked_steps_family, key(emit, masked_steps_variant::last));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps);
    call.writes(vectors, {sample, unit})
        .reads(read, {sample, gathered(), unit})
        .reads(emit.input_value(emit.mask_input()), {sample, step});
  }

  /// Of the two states that are carried, where the one step is masked, the step's own becomes the
  /// one before it.
  constexpr void hold(emitter& emit, const buffer_ref& carried) const {
    call_draft call = emit.call_of(masked_steps_family, key(emit, masked_steps_variant::held));
    const auto [sample, unit] = call.over(emit.batch(), units);
    reach before;
    before.offset = 1;
    call.updates(carried, {sample, reach(), unit})
        .reads(carried, {sample, before, unit})
        .reads(emit.input_value(emit.mask_input()), {sample, reach()});
  }

  /// And the gradients of vectors to those of sequences.
  constexpr void add_last(emitter& emit, const buffer_ref& sequences,
                          const buffer_ref& vectors) const {
    call_draft call =
        emit.call_of(masked_steps_family, key(emit, masked_steps_variant::last_added));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps);
    call.updates(sequences, {sample, gathered(), unit})
        .reads(vectors, {sample, unit})
        .reads(emit.input_value(emit.mask_input()), {sample, step});
  }
};

}  // namespace ipu_dsl
