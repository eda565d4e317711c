// SPDX-License-Identifier: MIT
// TimeDistributed: a layer at every step of a sequence.
#pragma once

#include <ipu_dsl/graph/element.hpp>

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

/// Keras's wrapper. Layers on the last axis, Dense, activations, LayerNormalization and others, do
/// the same at every step of a sequence anyway, and so does what is made of them, so that it is the
/// layer itself; others are refused.
template <typename Layer>
struct TimeDistributed {
 private:
  static constexpr problem fault =
      refuse("a layer on the last axis in TimeDistributed<...>", describe(element_of<Layer>),
             "Dense, activations, LayerNormalization and what is made of them do the same at every "
             "step; others at every step are not there yet");

 public:
  static constexpr element description = works_on_each_step(element_of<Layer>)
                                             ? element_of<Layer>
                                             : unfit_layer("TimeDistributed<...>", fault);
};

}  // namespace ipu_dsl
