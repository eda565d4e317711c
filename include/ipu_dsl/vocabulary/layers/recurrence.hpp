// SPDX-License-Identifier: MIT
// What all recurrent layers have in common: options, states, and how these go on from step to step.
// Over 300 lines: one walk, and what it is told.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/vocabulary/layers/position_product.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_ends.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

inline constexpr option_key return_sequences_key{"return_sequences"};
inline constexpr option_key go_backwards_key{"go_backwards"};
inline constexpr option_key return_state_key{"return_state"};
inline constexpr option_key recurrent_init_key{"recurrent_init"};
inline constexpr option_key recurrent_activation_key{"recurrent_activation"};

/// Whether all states are the output, (steps, units), or the last one alone.
template <auto Value>
struct return_sequences {
  static constexpr option as_option = bool_option(&return_sequences_key, Value);
};

/// Whether the sequence is read from its last step to its first; all states are then handed over in
/// the order in which they were made, as in Keras.
template <auto Value>
struct go_backwards {
  static constexpr option as_option = bool_option(&go_backwards_key, Value);
};

/// Whether the last state is an output of its own, and of an LSTM the last cell another: for
/// functional models, `build.layers<LSTM<16, return_state<true>>, 3>("", x)`.
template <auto Value>
struct return_state {
  static constexpr option as_option = bool_option(&return_state_key, Value);
};

/// How the weights start that lead from a state to the next.
template <typename Initializer, typename... Options>
struct recurrent_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&recurrent_init_key);
};

/// What is wrong with a type that is no activation.
template <typename T>
inline constexpr problem not_an_activation =
    refuse("an activation", type_name<T>(), "write recurrent_activation<sigmoid>");

/// The activation of the gates.
template <typename Kind>
struct recurrent_activation {
  static constexpr option read() {
    if constexpr (option_type<Kind>) {
      if (*Kind::as_option.key == activation_key) {
        return {&recurrent_activation_key, Kind::as_option.integer};
      }
    }
    return {&recurrent_activation_key, 0, 0, &not_an_activation<Kind>};
  }

  static constexpr option as_option = read();
};

/// In which order the steps are walked, and handed over where all are.
enum class sequence_order : std::int32_t {
  forwards,
  backwards,  ///< from the last to the first, and handed over so
  mirrored,   ///< from the last to the first; the state of a step stands at its place
  carried     ///< one step at a time, from the state that the step before has left
};

struct recurrent_options {
  std::int32_t units = 0;
  activation_kind activation = activation_kind::tanh;
  float alpha = 0;
  activation_kind recurrent_activation = activation_kind::sigmoid;
  std::int32_t has_bias = 1;
  std::int32_t returns_sequences = 0;
  sequence_order order = sequence_order::forwards;
  std::int32_t resets_after = 1;  ///< of a GRU
  std::int32_t returns_state = 0;
};

/// The recurrent layers of the vocabulary, which a sentence tells from others by name.
constexpr bool is_recurrent(std::string_view family) {
  return family == "SimpleRNN" || family == "LSTM" || family == "GRU";
}

/// Of a recurrent layer that is given one step after the other.
constexpr problem carry_states(attributes& options) {
  recurrent_options chosen = options.as<recurrent_options>();
  if (chosen.order != sequence_order::forwards) {
    return refuse("a recurrent layer that reads forwards",
                  chosen.order == sequence_order::mirrored
                      ? "the half of a Bidirectional that begins at the last step"
                      : "one that begins at the last step",
                  "the end of a stream is not known yet");
  }
  chosen.order = sequence_order::carried;
  options = attributes::of(chosen);
  return {};
}

/// What is wrong with the states that a recurrent layer is to begin with, if any: all that it
/// keeps.
constexpr problem check_initial_states(node_draft& draft, const recurrent_options& options,
                                       std::int32_t kept) {
  if (draft.inputs() != 1 && draft.inputs() != 1 + kept) {
    label expected = "1 input, or ";
    expected << 1 + kept << " with the initial state" << (kept > 1 ? " and the initial cell" : "");
    return refuse(expected, label() << draft.inputs());
  }
  const shape state = {options.units};
  for (std::int32_t i = 1; i < draft.inputs(); ++i) {
    if (!(draft.input(i) == state)) {
      return refuse(label("an initial state ") << describe(state), describe(draft.input(i)),
                    "it has as many numbers as the layer has units");
    }
  }
  return {};
}

/// What is wrong with what a recurrent layer reads, or with its options. It keeps so many vectors
/// from step to step.
constexpr problem check_recurrence(node_draft& draft, const recurrent_options& options,
                                   std::int32_t kept) {
  const shape input = draft.input(0);
  if (options.units <= 0) {
    return refuse("at least 1 unit", label() << options.units);
  }
  if (input.rank != 2) {
    const node* const before = draft.made_by(0);
    const bool last_alone =
        input.rank == 1 && before != nullptr && is_recurrent(before->rule->name);
    return refuse(
        "a sequence (steps, features)", describe(input),
        last_alone ? "return_sequences<true> makes the layer before hand over all states" : "");
  }
  for (const activation_kind kind : {options.activation, options.recurrent_activation}) {
    if (!gradient_from_output(kind)) {
      return refuse("an activation whose gradient follows from its output", name_of(kind),
                    "a state is made of the one before");
    }
  }
  return check_initial_states(draft, options, kept);
}

/// All states, or the last one; then what is left behind the last step, `kept` vectors, if wanted.
constexpr void add_outputs(node_draft& draft, const recurrent_options& options, std::int32_t kept) {
  const shape last = {options.units};
  draft.output(options.returns_sequences != 0 ? shape{draft.input(0)[0], options.units} : last);
  for (std::int32_t i = 0; options.returns_state != 0 && i < kept; ++i) {
    draft.output(last);
  }
}

/// The layer as it was written, without what is at its default.
constexpr label describe_recurrence(std::string_view name, const recurrent_options& options) {
  label words = name;
  words << "<" << options.units;
  if (options.activation != activation_kind::tanh) {
    words << ", " << name_of(options.activation);
  }
  if (options.recurrent_activation != activation_kind::sigmoid) {
    words << ", recurrent_activation<" << name_of(options.recurrent_activation) << ">";
  }
  if (options.resets_after == 0) {
    words << ", reset_after<false>";
  }
  if (options.returns_sequences != 0) {
    words << ", return_sequences<true>";
  }
  if (options.returns_state != 0) {
    words << ", return_state<true>";
  }
  if (options.order == sequence_order::backwards) {
    words << ", go_backwards<true>";
  }
  words << ">";
  return words;
}

/// A walk over the states of the node at hand. They stand at the places of their steps, whatever
/// the order. Its scratch has the tags below `own_tags`.
struct recurrence {
  static constexpr std::int32_t states_tag = 0;
  static constexpr std::int32_t gradients_tag = 1;
  static constexpr std::int32_t kernel_tag = 2;            ///< transposed
  static constexpr std::int32_t recurrent_kernel_tag = 3;  ///< transposed
  static constexpr std::int32_t own_tags = 4;
  static constexpr std::int32_t initial_tags = 16;  ///< of the gradient of what is begun with
  /// Where states are carried: the place of a step's state, and of that before it.
  static constexpr std::int32_t carried_place = 0;
  static constexpr std::int32_t carried_before = 1;

  recurrent_options options;
  std::int32_t steps = 1;
  std::int32_t features = 1;
  std::int32_t gates = 1;  ///< columns of the kernels for each unit
  bool is_given = false;   ///< the states that it begins with are inputs

  constexpr recurrence(const emitter& emit, std::int32_t gates_of_a_unit)
      : options(emit.options<recurrent_options>()),
        steps(emit.input_shape(0)[0]),
        features(emit.input_shape(0)[1]),
        gates(gates_of_a_unit),
        is_given(emit.inputs() > 1) {}

  constexpr bool carries() const { return options.order == sequence_order::carried; }

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
           !carries() && !is_given;
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
    if (carries() || options.returns_sequences == 0) {
      take_last(emit, emit.output_value(0).as({options.units}), states(emit));
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

  /// What is kept of the last step.
  constexpr void take_last(emitter& emit, const buffer_ref& made,
                           const buffer_ref& kept_states) const {
    sequence().take(emit, made, kept_states, last_place() + first_kept());
  }

  /// What the next step finds where it is carried.
  constexpr void carry(emitter& emit, const buffer_ref& numbers) const {
    if (carries()) {
      sequence().keep(emit, numbers);
    }
  }

  /// The gradients of the states as far as the output has one.
  constexpr void start_gradients(emitter& emit) const {
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
    if (besides != nullptr) {
      const buffer_ref added =
          emit.scratch(initial_tags + 2, {1, options.units}, storage::positions);
      walked_sequence().take(emit, added.as({options.units}), *besides, first_place());
      vector.add(emit, made, added.as({options.units}), 0);
    }
    vector.take(emit, emit.input_gradient(1), made, 0);
  }

  /// From `gradients`, those of the product of inputs.
  constexpr void input_gradient(emitter& emit, const buffer_ref& gradients) const {
    if (emit.wants_input_gradient(0)) {
      of_inputs().input_gradient(emit, emit.input_gradient(0), gradients, kernel_tag);
    }
  }
};

/// What the options of recurrent layers say, read once for all layers with the same ones.
template <typename... Options>
struct recurrent_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr auto kind = static_cast<activation_kind>(
      given.integer(activation_key, static_cast<std::int32_t>(activation_kind::tanh)));

  static constexpr recurrent_options options{
      .activation = kind,
      .alpha = given.number(alpha_key, default_alpha(kind)),
      .recurrent_activation = static_cast<activation_kind>(given.integer(
          recurrent_activation_key, static_cast<std::int32_t>(activation_kind::sigmoid))),
      .has_bias = given.integer(use_bias_key, 1),
      .returns_sequences = given.integer(return_sequences_key, 0),
      .order = given.integer(go_backwards_key, 0) != 0 ? sequence_order::backwards
                                                       : sequence_order::forwards,
      .returns_state = given.integer(return_state_key, 0)};

  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start),
                                           start_of(given, recurrent_init_key, orthogonal::start),
                                           start_of(given, bias_init_key, zeros::start)};
};

}  // namespace ipu_dsl
