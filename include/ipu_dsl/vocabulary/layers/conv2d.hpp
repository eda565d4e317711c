// SPDX-License-Identifier: MIT
// Conv2D: activation(convolution of an image with a kernel + bias).
#pragma once

#include <ipu_dsl/vocabulary/layers/convolution_rules.hpp>

namespace ipu_dsl {

/// activation(image * kernel + bias), the image being (rows, columns, channels): kernel [rows,
/// columns, channels, filters], bias [filters]. `Kernel` is a number for a square one, or
/// `kernel_size{3, 5}`. Options in any order, with Keras's defaults: `strides<...>` (1),
/// `same_padding` (`valid_padding`), `dilation_rate<...>` (1, and 1 where there are strides), an
/// activation (linear), `alpha<...>` of it, `use_bias<...>` (true), `init<...>` (glorot_uniform),
/// `bias_init<...>` (zeros); `kernel_regularizer<...>`, `bias_regularizer<...>`,
/// `kernel_constraint<...>`, `bias_constraint<...>`, `activity_regularizer<...>` (none).
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv2D {
  static constexpr element description = convolution_reading<Options...>::of_images(
      conv2d_family, "Conv2D<filters, kernel>", read_whole<"filters">(Filters),
      read_kernel(Kernel));
};

}  // namespace ipu_dsl
