// SPDX-License-Identifier: MIT
// Conv1D: activation(convolution of a sequence with a kernel + bias).
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_ends.hpp>

namespace ipu_dsl {

namespace conv1d_rules {

/// Of one step: it comes behind those that are carried, and the kernel stands on all of them once.
/// Before a sequence begins they are the zeros of causal padding.
constexpr void forward_carried(emitter& emit, convolution_options options) {
  using namespace convolution_rules;
  const std::int32_t reached = (options.kernel_columns - 1) * options.dilation_columns + 1;
  const std::int32_t channels = emit.input_shape(0)[1];
  const sequence_extents known{reached, channels};
  const buffer_ref steps = emit.carried(carried_tag, {reached, channels}, storage::positions);
  options.padding = padding_kind::valid;
  const convolution made = placed(options, {1, reached, channels}, emit.batch());
  known.put(emit, steps, emit.input_value(0).as({channels}), reached - 1);
  const buffer_ref x = made.image_read(emit, steps, forward_image_tag);
  made.forward(emit, emit.output_value(0), x, made.kernel_read(emit, packed_tag));
  known.move(emit, steps);
}

constexpr void forward(emitter& emit) {
  const auto options = emit.options<convolution_options>();
  if (options.padding == padding_kind::carried) {
    forward_carried(emit, options);
  } else {
    convolution_rules::forward(emit);
  }
}

/// Of a convolution of a sequence that is given one step after the other.
constexpr problem carry_steps(attributes& given) {
  auto options = given.as<convolution_options>();
  if (options.stride_columns != 1) {
    return refuse("a Conv1D with strides of 1", label("strides of ") << options.stride_columns,
                  "push needs the answer of every step at once");
  }
  if (options.kernel_columns == 1) {
    return {};
  }
  if (options.padding != padding_kind::causal) {
    return refuse("a Conv1D with causal_padding, or a kernel of 1 step",
                  label(name_of(options.padding)) << " and a kernel of " << options.kernel_columns,
                  "the steps behind one are not known yet when it is pushed");
  }
  options.padding = padding_kind::carried;
  given = attributes::of(options);
  return {};
}

}  // namespace conv1d_rules

/// Its calls are those of a Conv2D on images of one row; causal ones carry steps.
inline constexpr family conv1d_family = [] {
  family made = convolution_rules::family_called("Conv1D");
  made.forward = conv1d_rules::forward;
  made.one_step = conv1d_rules::carry_steps;
  return made;
}();

/// activation(sequence * kernel + bias), the sequence being (steps, channels): kernel [steps,
/// channels, filters], bias [filters]. Options as `Conv2D` has them, those of two numbers with one;
/// also `causal_padding`, with which an output depends on no later step, so that `one_step<M>` can
/// be given one after the other.
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv1D {
  static constexpr element description = convolution_reading<Options...>::of_sequences(
      conv1d_family, "Conv1D<filters, kernel>", read_whole<"filters">(Filters),
      read_whole<"kernel">(Kernel));
};

}  // namespace ipu_dsl
