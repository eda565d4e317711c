// SPDX-License-Identifier: MIT
// TimeDistributed: a layer at every step of a sequence.
#pragma once

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/sequence_views.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

namespace ipu_dsl {

/// Whether a node does the same at every step of its input, of which it remembers nothing: as one
/// of a model of one step it needs no other options. An axis that is counted from the first is
/// another where the steps stand before it.
constexpr bool works_on_each_step(const family& rule, const attributes& options) {
  if (rule.counts_axes) {
    return false;
  }
  if (same_address(&rule, &concatenate_family) && options.as<concatenate_options>().axis > 0) {
    return false;
  }
  attributes of_one_step = options;
  const problem refused = rule.one_step(of_one_step);
  return !refused.found() && of_one_step == options;
}

/// Whether a layer does that, or all of what stands in a combinator.
constexpr bool works_on_each_step(const element& piece) {
  if (piece.kind != element_kind::layer && piece.kind != element_kind::sequence &&
      piece.kind != element_kind::residual && piece.kind != element_kind::branches) {
    return false;
  }
  bool works = is_null(piece.rule) || works_on_each_step(*piece.rule, piece.options);
  for (const element* part : piece.parts) {
    works = works && works_on_each_step(*part);
  }
  return works && (is_null(piece.followed_by) || works_on_each_step(*piece.followed_by));
}

/// An element that does the same at every step, and is to be given these.
constexpr element given_sequences(element piece) {
  piece.of_steps = true;
  return piece;
}

/// Keras's wrapper: the layer at every step of a sequence, with one set of parameters.
/// `TimeDistributed<Conv2D<8, 3>>` of (steps, rows, columns, channels). What is given to the layer
/// are samples, one for each step of each sample of the model: BatchNormalization has its
/// statistics over both, Dropout drops in each step what it draws for it, a recurrent layer walks
/// along each step. The mask of the sequence is that of what is made of it. Layers on the last
/// axis, Dense, activations, LayerNormalization and others, and what is made of them, do the same
/// at every step anyway: of these it is the layer itself. Refused are an
/// `activity_regularizer<...>` within, and a mask that the layer makes of a step. In a functional
/// model what takes several inputs takes a step of each, of sequences of as many steps, and what
/// has several outputs makes a sequence of each:
/// `build.layers<TimeDistributed<two_headed>, 2>("heads", a, b)`.
template <typename... Layers>
struct TimeDistributed {
 private:
  static constexpr problem fault =
      refuse("one layer at every step", label() << sizeof...(Layers),
             "options of a layer stand within it, TimeDistributed<Dense<8, relu>>; several layers "
             "are a sequential<...>");

 public:
  static constexpr element description = unfit_layer("TimeDistributed<...>", fault);
};

template <typename Layer>
struct TimeDistributed<Layer> {
 private:
  static constexpr element wrapper = {.kind = element_kind::at_steps,
                                      .combinator = "TimeDistributed",
                                      .rule = &samples_as_steps_family,
                                      .parts = list_view<const element*>(elements_of<Layer>, 1),
                                      .of_steps = true};

 public:
  static constexpr element description =
      works_on_each_step(element_of<Layer>) ? given_sequences(element_of<Layer>) : wrapper;
};

}  // namespace ipu_dsl
