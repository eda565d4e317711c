// SPDX-License-Identifier: MIT
// Conv1DTranspose: makes of what a convolution writes a sequence as long as it may have read.
#pragma once

#include <ipu_dsl/vocabulary/layers/conv2d_transpose.hpp>

namespace ipu_dsl {

/// Its calls are those of the Conv2D on one row whose input gradient it is.
inline constexpr family conv1d_transpose_family =
    transposed_rules::family_called("Conv1DTranspose");

/// activation(the sequence that a Conv1D of this kernel makes its input of + bias), the input being
/// (steps, channels): kernel [steps, filters, channels], bias [filters]. Options as
/// `Conv2DTranspose` has them, those of two numbers with one.
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv1DTranspose {
  static constexpr element description =
      transposed_reading<Options...>::of(convolution_reading<Options...>::of_sequences(
          conv1d_transpose_family, "Conv1DTranspose<filters, kernel>",
          read_whole<"filters">(Filters), read_whole<"kernel">(Kernel)));
};

}  // namespace ipu_dsl
