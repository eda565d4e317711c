// SPDX-License-Identifier: MIT
// Calls of layers of sequences of which not all steps are there: those that are stand one behind
// the other while the layer walks them.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

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
  words,            ///< writes masks, reads words
  given_added,      ///< adds vectors to those of samples without a step, reads vectors, masks
  joined,           ///< writes masks, reads masks, of each sample so many as `units` says
  mean,             ///< writes vectors, reads sequences, masks
  mean_gradient     ///< writes sequences, reads vectors, masks
};

struct masked_steps_call {
  masked_steps_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  std::int32_t from_last;
  std::int32_t in_order;          ///< steps are handed over in the order of the walk
  std::int32_t is_given;          ///< beside packed states stands what the walk begins with
  std::int32_t hands_over_given;  ///< as the last state, where no step is there
};

/// Calls of layers of sequences; no layer is made of it.
inline constexpr family masked_steps_family{.name = "masked steps"};

/// Sequences of the node at hand, of `units` numbers a step, and how they are walked.
struct masked_sequences {
  std::int32_t steps;
  std::int32_t units;
  bool from_last = false;
  bool in_order = false;
  bool is_given = false;

  constexpr masked_steps_call key(const emitter& emit, masked_steps_variant variant) const {
    return {.variant = variant,
            .batch = emit.batch(),
            .steps = steps,
            .units = units,
            .from_last = from_last ? 1 : 0,
            .in_order = in_order ? 1 : 0,
            .is_given = is_given ? 1 : 0,
            .hands_over_given = 0};
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

  /// Vectors from sequences; without a step zeros, or with `or_given` what the walk began with.
  constexpr void take_last(emitter& emit, const buffer_ref& vectors, const buffer_ref& read,
                           bool or_given) const {
    masked_steps_call made = key(emit, masked_steps_variant::last);
    made.hands_over_given = is_given && or_given ? 1 : 0;
    call_draft call = emit.call_of(masked_steps_family, made);
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

  /// The gradients of vectors go to what the walk began with, where no step is there.
  constexpr void add_to_given(emitter& emit, const buffer_ref& given,
                              const buffer_ref& vectors) const {
    call_draft call =
        emit.call_of(masked_steps_family, key(emit, masked_steps_variant::given_added));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps);
    call.updates(given, {sample, unit})
        .reads(vectors, {sample, unit})
        .reads(emit.input_value(emit.mask_input()), {sample, step});
  }

  /// The means of the steps that are there.
  constexpr void take_mean(emitter& emit, const buffer_ref& vectors, const buffer_ref& read) const {
    call_draft call = emit.call_of(masked_steps_family, key(emit, masked_steps_variant::mean));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps);
    call.writes(vectors, {sample, unit})
        .reads(read, {sample, step, unit})
        .reads(emit.input_value(emit.mask_input()), {sample, step});
  }

  /// And the gradients of the steps from those of the means.
  constexpr void spread_mean(emitter& emit, const buffer_ref& sequences,
                             const buffer_ref& vectors) const {
    call_draft call =
        emit.call_of(masked_steps_family, key(emit, masked_steps_variant::mean_gradient));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps);
    call.writes(sequences, {sample, step, unit})
        .reads(vectors, {sample, unit})
        .reads(emit.input_value(emit.mask_input()), {sample, step});
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

namespace joined_masks_rules {

constexpr problem shapes(node_draft& draft) {
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    if (!(draft.input(i) == draft.input(0))) {
      return refuse("masks of as many steps",
                    label() << draft.input(0)[0] << " and " << draft.input(i)[0]);
    }
  }
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const masked_sequences of{.steps = emit.input_shape(0)[0], .units = emit.inputs()};
  call_draft call = emit.call_of(masked_steps_family, of.key(emit, masked_steps_variant::joined));
  const axis_id sample = call.over(emit.batch());
  const axis_id step = call.over(of.steps);
  call.all(of.units);
  call.writes(emit.output_value(0), {sample, step});
  for (std::int32_t i = 0; i < emit.inputs(); ++i) {
    call.reads(emit.input_value(i), {sample, step});
  }
}

}  // namespace joined_masks_rules

/// Of masks of as many steps: a step is there that is there by all of them.
inline constexpr family joined_masks_family{.name = "joined masks",
                                            .inputs = any_number,
                                            .shapes = joined_masks_rules::shapes,
                                            .forward = joined_masks_rules::forward,
                                            .one_step = each_step_alone};

/// The masks of layers that merge their inputs number by number.
constexpr mask_join join_by_step(const attributes&, const shape&) {
  return {.rule = &joined_masks_family};
}

}  // namespace ipu_dsl
