// SPDX-License-Identifier: MIT
// TimeDistributed: a layer at every step of a sequence.
#pragma once

#include <ipu_dsl/graph/sequence_views.hpp>

namespace ipu_dsl {

/// Whether a node does the same at every step of its input, of which it remembers nothing: as one
/// of a model of one step it needs no other options.
constexpr bool works_on_each_step(const family& rule, const attributes& options) {
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
  bool works = piece.rule == nullptr || works_on_each_step(*piece.rule, piece.options);
  for (const element* part : piece.parts) {
    works = works && works_on_each_step(*part);
  }
  return works && (piece.followed_by == nullptr || works_on_each_step(*piece.followed_by));
}

/// Keras's wrapper: the layer at every step of a sequence, with one set of parameters.
/// `TimeDistributed<Conv2D<8, 3>>` of (steps, rows, columns, channels). What is given to the layer
/// are samples, one for each step of each sample of the model: BatchNormalization has its
/// statistics over both, Dropout drops in each step what it draws for it, a recurrent layer walks
/// along each step. The mask of the sequence is that of what is made of it. Layers on the last
/// axis, Dense, activations, LayerNormalization and others, and what is made of them, do the same
/// at every step anyway: of these it is the layer itself. Refused are an
/// `activity_regularizer<...>` within, and a mask that the layer makes of a step.
template <typename Layer>
struct TimeDistributed {
 private:
  static constexpr element wrapper = {.kind = element_kind::at_steps,
                                      .combinator = "TimeDistributed",
                                      .rule = &samples_as_steps_family,
                                      .parts = list_view<const element*>(elements_of<Layer>, 1)};

 public:
  static constexpr element description =
      works_on_each_step(element_of<Layer>) ? element_of<Layer> : wrapper;
};

}  // namespace ipu_dsl
