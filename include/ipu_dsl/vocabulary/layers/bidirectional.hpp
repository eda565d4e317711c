// SPDX-License-Identifier: MIT
// Bidirectional: a recurrent layer and another like it that reads the sequence from its end.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/merge.hpp>
#include <ipu_dsl/vocabulary/layers/recurrence.hpp>
#include <ipu_dsl/vocabulary/layers/rescaling.hpp>

namespace ipu_dsl {

inline constexpr option_key merge_mode_key{"merge_mode"};

/// What becomes of the two outputs.
enum class direction_merge : std::int32_t {
  concat,  ///< side by side along the last axis
  sum,
  mul,
  ave
};

constexpr std::string_view merge_names[] = {"concat", "sum", "mul", "ave"};

template <fixed_string Mode>
inline constexpr problem not_a_merge_mode =
    refuse("\"concat\", \"sum\", \"mul\" or \"ave\"", label("\"") << Mode.view() << "\"");

/// How the outputs of a Bidirectional are put together: `merge_mode<"sum">`.
template <fixed_string Mode = "concat">
struct merge_mode {
  static constexpr option read() {
    for (std::int32_t kind = 0; kind < 4; ++kind) {
      if (Mode.view() == merge_names[kind]) {
        return {&merge_mode_key, kind};
      }
    }
    return {&merge_mode_key, 0, 0, &not_a_merge_mode<Mode>};
  }

  static constexpr option as_option = read();
};

/// Half of the sum of both.
inline constexpr element half_of_sum{.kind = element_kind::layer,
                                     .rule = &rescaling_family,
                                     .options = attributes::of(rescaling_options{0.5F, 0})};

template <typename Layer, typename... Options>
struct bidirectional_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&merge_mode_key};
  static constexpr const element& forwards = element_of<Layer>;

  static constexpr bool takes_recurrent() {
    return forwards.kind == element_kind::layer && is_recurrent(forwards.rule->name);
  }

  static constexpr problem find_fault() {
    if (!takes_recurrent()) {
      return refuse("a recurrent layer in Bidirectional<...>", describe(forwards),
                    "write Bidirectional<LSTM<16>>");
    }
    if (!forwards.name.empty()) {
      return refuse("a layer without a name in Bidirectional<...>",
                    label("one named ") << forwards.name,
                    "name both: named<\"both\", Bidirectional<...>> has both_0 and both_1");
    }
    if (forwards.options.template as<recurrent_options>().order != sequence_order::forwards) {
      return refuse("a layer that reads forwards in Bidirectional<...>", describe(forwards),
                    "it reads both ways: take go_backwards out");
    }
    return given.find_fault(accepted);
  }

  static constexpr problem fault = find_fault();

  /// The layer in this order. All states of both stand at the places of their steps, zeros where
  /// steps are masked, as Keras has it here and nowhere else.
  static constexpr element in_order(sequence_order order) {
    element made = forwards;
    if (takes_recurrent()) {
      recurrent_options options = forwards.options.template as<recurrent_options>();
      options.order = order;
      options.zeros_at_masked = options.returns_sequences;
      made.options = attributes::of(options);
    }
    return made;
  }

  static constexpr element ahead = in_order(sequence_order::forwards);
  static constexpr element backwards = in_order(sequence_order::mirrored);
  static constexpr const element* both[] = {&ahead, &backwards};

  static constexpr element read() {
    if (fault.found()) {
      return unfit_layer("Bidirectional<...>", fault);
    }
    element made{.kind = element_kind::branches,
                 .combinator = "Bidirectional",
                 .rule = &add_family,
                 .parts = both,
                 .deals_inputs = kept_states(forwards.rule->name)};
    switch (static_cast<direction_merge>(given.integer(merge_mode_key, 0))) {
      case direction_merge::concat:
        made.rule = &concatenate_family;
        break;
      case direction_merge::mul:
        made.rule = &merge_family;
        made.options = attributes::of(merge_options{merge_kind::multiply});
        break;
      case direction_merge::ave:
        made.followed_by = &half_of_sum;
        break;
      case direction_merge::sum:
        break;
    }
    return made;
  }
};

/// `Bidirectional<LSTM<16>>`: the layer, and another with weights of its own that reads the
/// sequence from its last step to its first. Their outputs are put together as `merge_mode<...>`
/// says
/// ("concat", "sum", "mul" or "ave"; Keras's default is the first); all states of both stand at the
/// places of their steps. In a functional model it is given initial states as Keras has them, those
/// of the layer, then those of the other: `build.layer<Bidirectional<LSTM<16>>>("", x, h, c,
/// back_h, back_c)`; and with `return_state<true>` it gives them in that order behind its output,
/// `build.layers<Bidirectional<LSTM<16, return_state<true>>>, 5>("", x)`.
template <typename Layer, typename... Options>
struct Bidirectional {
  static constexpr element description = bidirectional_reading<Layer, Options...>::read();
};

}  // namespace ipu_dsl
