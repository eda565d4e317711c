// SPDX-License-Identifier: MIT
// What all recurrent layers have in common: states, and how these go on from step to step.
// Over 300 lines: one walk, there and back.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/masked_steps.hpp>
#include <ipu_dsl/vocabulary/layers/position_product.hpp>
#include <ipu_dsl/vocabulary/layers/recurrent_options.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_ends.hpp>

namespace ipu_dsl {

/// A walk over the states of the node at hand. They stand at the places of their steps, whatever
/// the order. Its scratch has the tags below `own_tags`.
struct recurrence {
  static constexpr std::int32_t states_tag = 0;
  static constexpr std::int32_t gradients_tag = 1;
  static constexpr std::int32_t kernel_tag = 2;            ///< transposed
  static constexpr std::int32_t recurrent_kernel_tag = 3;  ///< transposed
  static constexpr std::int32_t own_tags = 4;
  static constexpr std::int32_t initial_tags = 15;  ///< of the gradient of what is begun with
  static constexpr std::int32_t packed_tag = 18;    ///< of the steps that are there
  static constexpr std::int32_t packed_gradient_tag = 19;
  static constexpr std::int32_t cell_gradients_tag = 14;  ///< of what is left of a cell, by steps
  /// Where states are carried: the place of a step's state, and of that before it.
  static constexpr std::int32_t carried_place = 0;
  static constexpr std::int32_t carried_before = 1;

  recurrent_options options;
  std::int32_t steps = 1;
  std::int32_t features = 1;
  std::int32_t gates = 1;  ///< columns of the kernels for each unit
  bool is_given = false;   ///< the states that it begins with are inputs
  bool is_masked = false;  ///< not all steps are there

  constexpr recurrence(const emitter& emit, std::int32_t gates_of_a_unit)
      : options(emit.options<recurrent_options>()),
        steps(emit.input_shape(0)[0]),
        features(emit.input_shape(0)[1]),
        gates(gates_of_a_unit),
        is_given(emit.inputs() > (emit.mask_input() < 0 ? 1 : 2)),
        is_masked(emit.mask_input() >= 0) {}

  constexpr bool carries() const { return options.order == sequence_order::carried; }

  /// Whether the steps that are there are walked one behind the other, apart from the others.
  constexpr bool packs() const { return is_masked && !carries(); }

  constexpr bool from_last() const {
    return options.order == sequence_order::backwards || options.order == sequence_order::mirrored;
  }

  /// Whether a step reads what another has left.
  constexpr bool reads_before() const { return carries() || is_given || steps > 1; }

  constexpr std::int32_t columns() const { return gates * options.units; }

  /// Of states, and of gradients.
  constexpr sequence_extents sequence() const { return {kept_steps(), options.units}; }

  constexpr sequence_extents walked_sequence() const { return {steps, options.units}; }

  /// Steps of which there are states, with what is given.
  constexpr std::int32_t kept_steps() const { return carries() ? 2 : steps + (is_given ? 1 : 0); }

  /// The place of the first step's state: what is given stands before the first of a walk, or
  /// behind the last of one from there.
  constexpr std::int32_t first_kept() const { return is_given && !from_last() ? 1 : 0; }

  constexpr std::int32_t given_place() const { return from_last() ? steps : 0; }

  /// The place of the step `by` behind step `step` of the walk.
  constexpr reach walked(axis_id step, std::int32_t by = 0) const {
    if (carries()) {
      reach kept;
      kept.offset = by == 0 ? carried_place : carried_before;
      return kept;
    }
    return from_last() ? counted_back(step, steps, -by) : shifted(step, by);
  }

  /// The same of the way back, from the last step of the walk to its first.
  constexpr reach walked_back(axis_id step, std::int32_t by = 0) const {
    return from_last() ? shifted(step, by) : counted_back(step, steps, -by);
  }

  /// Of what is kept beside what is given, the same places.
  constexpr reach kept_at(reach at) const {
    at.offset += first_kept();
    return at;
  }

  /// Of a gate at a unit the column: gates lie side by side.
  constexpr reach column(axis_id unit, axis_id gate) const {
    return window(unit, gate, 1, options.units, 0);
  }

  constexpr bool hands_over_states() const {
    return options.returns_sequences != 0 && options.order != sequence_order::backwards &&
           !carries() && !is_given && !packs();
  }

  /// Of the last step of the walk, and of its first.
  constexpr std::int32_t last_place() const { return carries() || from_last() ? 0 : steps - 1; }

  constexpr std::int32_t first_place() const { return from_last() ? steps - 1 : 0; }

  /// Of each step that is kept so many numbers; they last where they are carried.
  constexpr buffer_ref kept(const emitter& emit, std::int32_t tag) const {
    const shape extents = {kept_steps(), options.units};
    return carries() ? emit.carried(tag, extents, storage::positions)
                     : emit.scratch(tag, extents, storage::positions);
  }

  /// What the layer reads: the steps that are there, one behind the other.
  constexpr masked_sequences masked(std::int32_t numbers) const {
    return {.steps = steps,
            .units = numbers,
            .from_last = from_last(),
            .in_order = options.order == sequence_order::backwards,
            .is_given = is_given};
  }

  constexpr buffer_ref read(const emitter& emit) const {
    return packs() ? emit.scratch(packed_tag, {steps, features}, storage::positions)
                   : emit.input_value(0);
  }

  /// Puts them so.
  constexpr void pack(emitter& emit) const {
    if (packs()) {
      masked(features).move(emit, masked_steps_variant::packed, read(emit), emit.input_value(0));
    }
  }

  /// All states; they are kept for the gradients.
  constexpr buffer_ref states(const emitter& emit) const {
    return hands_over_states() ? emit.output_value(0) : kept(emit, states_tag);
  }

  /// The gradients of all states.
  constexpr buffer_ref state_gradients(const emitter& emit) const {
    return emit.scratch(gradients_tag, {steps, options.units}, storage::positions);
  }

  /// Kernel times input and bias, for all steps at once.
  constexpr position_product of_inputs() const {
    return {.positions = steps,
            .inputs = features,
            .units = columns(),
            .kernel = 0,
            .bias = options.has_bias != 0 ? 2 : -1};
  }

  /// Recurrent kernel times the state of the step before.
  constexpr position_product of_states() const {
    return {.positions = steps,
            .inputs = options.units,
            .units = columns(),
            .kernel = 1,
            .back = from_last() ? -1 : (is_given ? 0 : 1),
            .more = is_given ? 1 : 0};
  }

  /// The state, or the cell, that the walk begins with is input `number`.
  constexpr void begin(emitter& emit, const buffer_ref& kept_states, std::int32_t number) const {
    if (is_given) {
      sequence().put(emit, kept_states, emit.input_value(number), given_place());
    }
  }

  constexpr buffer_ref transposed_recurrent_kernel(emitter& emit) const {
    return of_states().transposed_kernel(emit, recurrent_kernel_tag);
  }

  /// What the next layer reads.
  constexpr void hand_over(emitter& emit) const {
    if (packs() && options.returns_sequences != 0) {
      masked(options.units)
          .move(emit,
                options.zeros_at_masked != 0 ? masked_steps_variant::unpacked
                                             : masked_steps_variant::repeated,
                emit.output_value(0), states(emit));
    } else if (carries() || options.returns_sequences == 0) {
      take_last(emit, emit.output_value(0).as({options.units}), states(emit), false);
    } else if (options.order == sequence_order::backwards) {
      walked_sequence().reverse(emit, emit.output_value(0), states(emit), kept_steps());
    } else if (is_given) {
      walked_sequence().take_all(emit, emit.output_value(0), states(emit), first_kept(),
                                 kept_steps());
    }
    if (options.returns_state != 0) {
      take_last(emit, emit.output_value(1), states(emit));
    }
  }

  /// What is kept of the last step; where no step is there zeros, or what the walk began with.
  constexpr void take_last(emitter& emit, const buffer_ref& made, const buffer_ref& kept_states,
                           bool or_given = true) const {
    if (packs()) {
      masked(options.units).take_last(emit, made, kept_states, or_given);
    } else {
      sequence().take(emit, made, kept_states, last_place() + first_kept());
    }
  }

  /// A step that is masked leaves what is carried as it was.
  constexpr void hold(emitter& emit, const buffer_ref& kept_states) const {
    if (is_masked && carries()) {
      masked(options.units).hold(emit, kept_states);
    }
  }

  /// What the next step finds where it is carried.
  constexpr void carry(emitter& emit, const buffer_ref& numbers) const {
    if (carries()) {
      sequence().keep(emit, numbers);
    }
  }

  /// The gradients of the states as far as the output has one.
  constexpr void start_gradients(emitter& emit) const {
    if (packs()) {
      start_masked_gradients(emit);
      return;
    }
    const sequence_extents walked_ones = walked_sequence();
    if (options.returns_sequences == 0) {
      walked_ones.place(emit, state_gradients(emit), emit.output_gradient(0), last_place());
    } else if (options.order == sequence_order::backwards) {
      walked_ones.reverse(emit, state_gradients(emit), emit.output_gradient(0));
    } else {
      walked_ones.copy(emit, state_gradients(emit), emit.output_gradient(0));
    }
    if (options.returns_state != 0) {
      walked_ones.add(emit, state_gradients(emit), emit.output_gradient(1), last_place());
    }
  }

  /// The same where not all steps are there.
  constexpr void start_masked_gradients(emitter& emit) const {
    const masked_sequences of = masked(options.units);
    if (options.returns_sequences != 0) {
      of.move(emit,
              options.zeros_at_masked != 0 ? masked_steps_variant::packed
                                           : masked_steps_variant::summed,
              state_gradients(emit), emit.output_gradient(0));
    } else {
      place_last(emit, state_gradients(emit), emit.output_gradient(0));
    }
    if (options.returns_state != 0) {
      of.add_last(emit, state_gradients(emit), emit.output_gradient(1));
    }
  }

  /// Gradients of all steps, of which only the last that is there has one.
  constexpr void place_last(emitter& emit, const buffer_ref& gradients,
                            const buffer_ref& of_last) const {
    walked_sequence().clear(emit, gradients);
    masked(options.units).add_last(emit, gradients, of_last);
  }

  /// Of what the first step begins with: what `gradients` [positions, columns] of that step are by
  /// the recurrent kernel, and what goes there besides, if anything.
  constexpr void given_gradient(emitter& emit, const buffer_ref& gradients, std::int32_t positions,
                                const buffer_ref* besides = nullptr) const {
    if (!is_given || !emit.wants_input_gradient(1)) {
      return;
    }
    const position_product of_first{
        .positions = 1, .inputs = options.units, .units = columns(), .kernel = 1};
    const buffer_ref first = emit.scratch(initial_tags, {1, columns()}, storage::positions);
    const buffer_ref made = emit.scratch(initial_tags + 1, {1, options.units}, storage::positions);
    const sequence_extents vector{1, options.units};
    sequence_extents{positions, columns()}.take(emit, first.as({columns()}), gradients,
                                                first_place());
    of_first.input_gradient_by(emit, made, first,
                               of_states().place_of_transposed(emit, recurrent_kernel_tag));
    if (!is_null(besides)) {
      const buffer_ref added =
          emit.scratch(initial_tags + 2, {1, options.units}, storage::positions);
      walked_sequence().take(emit, added.as({options.units}), *besides, first_place());
      vector.add(emit, made, added.as({options.units}), 0);
    }
    vector.take(emit, emit.input_gradient(1), made, 0);
    add_to_given(emit, 1);
  }

  /// To the gradient of input `number`, which the walk began with, goes where no step is there that
  /// of what was handed over in its place.
  constexpr void add_to_given(emitter& emit, std::int32_t number) const {
    if (packs() && options.returns_state != 0) {
      masked(options.units)
          .add_to_given(emit, emit.input_gradient(number), emit.output_gradient(number));
    }
  }

  /// From `gradients`, those of the product of inputs.
  constexpr void input_gradient(emitter& emit, const buffer_ref& gradients) const {
    if (!emit.wants_input_gradient(0)) {
      return;
    }
    if (!packs()) {
      of_inputs().input_gradient(emit, emit.input_gradient(0), gradients, kernel_tag);
      return;
    }
    const buffer_ref packed =
        emit.scratch(packed_gradient_tag, {steps, features}, storage::positions);
    of_inputs().input_gradient(emit, packed, gradients, kernel_tag);
    masked(features).move(emit, masked_steps_variant::unpacked, emit.input_gradient(0), packed);
  }
};

}  // namespace ipu_dsl
