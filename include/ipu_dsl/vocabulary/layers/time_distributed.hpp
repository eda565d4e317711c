// SPDX-License-Identifier: MIT
// TimeDistributed: a layer at every step of a sequence.
#pragma once

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl {

/// Whether a layer does the same at every position of its input already.
constexpr bool works_on_last_axis(const element& piece) {
  return piece.kind == element_kind::layer &&
         (piece.rule == &dense_family || piece.rule == &activation_family ||
          piece.rule == &softmax_family);
}

/// Keras's wrapper. Dense and activations do the same at every step of a sequence anyway, so that
/// it is the layer itself; others are refused.
template <typename Layer>
struct TimeDistributed {
 private:
  static constexpr problem fault =
      refuse("Dense or an activation in TimeDistributed<...>", describe(element_of<Layer>),
             "other layers at every step are not there yet");

 public:
  static constexpr element description = works_on_last_axis(element_of<Layer>)
                                             ? element_of<Layer>
                                             : unfit_layer("TimeDistributed<...>", fault);
};

}  // namespace ipu_dsl
