// SPDX-License-Identifier: MIT
// Conv1D: activation(convolution of a sequence with a kernel + bias).
#pragma once

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl {

/// Its calls are those of a Conv2D on images of one row.
inline constexpr family conv1d_family = convolution_rules::family_called("Conv1D");

/// activation(sequence * kernel + bias), the sequence being (steps, channels): kernel [steps,
/// channels, filters], bias [filters]. Options as `Conv2D` has them, those of two numbers with one;
/// also `causal_padding`, with which an output depends on no later step.
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv1D {
  static constexpr element description = convolution_reading<Options...>::of_sequences(
      conv1d_family, "Conv1D<...>", whole(Filters), whole(Kernel));
};

}  // namespace ipu_dsl
