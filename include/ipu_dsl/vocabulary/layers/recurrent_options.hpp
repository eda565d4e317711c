// SPDX-License-Identifier: MIT
// The options of all recurrent layers, what is wrong with them, and what the layers hand over.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_input.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

inline constexpr option_key return_sequences_key{
    "return_sequences", "it within a recurrent layer: LSTM<16, return_sequences<true>>"};
inline constexpr option_key go_backwards_key{"go_backwards"};
inline constexpr option_key return_state_key{"return_state"};
inline constexpr option_key recurrent_init_key{"recurrent_init"};
inline constexpr option_key stateful_key{"stateful"};
inline constexpr option_key recurrent_activation_key{"recurrent_activation"};

/// Whether all states are the output, (steps, units), or the last one alone.
template <auto Value>
struct return_sequences {
  static constexpr option as_option = bool_option<Value>(&return_sequences_key);
};

/// Whether the sequence is read from its last step to its first; all states are then handed over in
/// the order in which they were made, as in Keras.
template <auto Value>
struct go_backwards {
  static constexpr option as_option = bool_option<Value>(&go_backwards_key);
};

/// Whether the last state is an output of its own, and of an LSTM the last cell another: for
/// functional models, `build.layers<LSTM<16, return_state<true>>, 3>("", x)`.
template <auto Value>
struct return_state {
  static constexpr option as_option = bool_option<Value>(&return_state_key);
};

inline constexpr std::string_view state_outputs_hint =
    "return_state<true> makes the last state an output behind the first";

inline constexpr std::string_view cell_outputs_hint =
    "return_state<true> makes the last state and the last cell outputs behind the first";

/// Where what is behind reads sequences.
inline constexpr std::string_view last_state_hint =
    "return_sequences<true> makes the layer before hand over all states";

inline constexpr problem keeps_states =
    refuse("false", "true",
           "all that is trained begins every sequence anew; predictor<one_step<M>> of the model M "
           "without it carries states from push to push");

/// Keras's `stateful`, whether a sequence goes on where the one before has ended. It is refused:
/// who predicts pushes steps one by one, `predictor<one_step<tagger>>`, and who trains begins anew.
template <auto Value>
struct stateful {
  static constexpr option read() {
    option made = bool_option<Value>(&stateful_key);
    made.fault = is_null(made.fault) && made.integer != 0 ? &keeps_states : made.fault;
    return made;
  }

  static constexpr option as_option = read();
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
  std::int32_t zeros_at_masked = 0;  ///< of all states: zeros at masked steps, not the last state
};

/// The recurrent layers of the vocabulary, which a sentence tells from others by name.
constexpr bool is_recurrent(std::string_view family) {
  return family == "SimpleRNN" || family == "LSTM" || family == "GRU";
}

/// What a recurrent layer of the vocabulary keeps from step to step: a state, and in an LSTM a
/// cell.
constexpr std::int32_t kept_states(std::string_view family) {
  return family == "LSTM" ? 2 : 1;
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
  const std::int32_t given = draft.inputs() - (draft.is_masked() ? 1 : 0);
  if (given != 1 && given != 1 + kept) {
    label expected = "1 input, or ";
    expected << 1 + kept << " with the initial state" << (kept > 1 ? " and the initial cell" : "");
    return refuse(expected, label() << given);
  }
  const shape state = {options.units};
  for (std::int32_t i = 1; i < given; ++i) {
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
    return refuse_no_sequence("a sequence (steps, features)", input);
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
  if (options.has_bias == 0) {
    words << ", use_bias<false>";
  }
  words << ">";
  return words;
}

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
