// SPDX-License-Identifier: MIT
// Conv2DTranspose: makes of what a convolution writes an image as large as it may have read.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl {

inline constexpr option_key output_padding_key{"output_padding"};

/// How many rows and columns, less than the strides, the output of a transposed convolution has
/// beyond the smallest possible: `output_padding<1>`, or apart as `output_padding<1, 0>`.
template <auto Rows, auto Columns = Rows>
struct output_padding {
  static constexpr option as_option =
      pair_option(&output_padding_key, read_whole(Rows), read_whole(Columns));
};

namespace transposed_rules {

/// How long the image is along one axis, as Keras has it.
constexpr std::int32_t image_extent(std::int32_t inputs, std::int32_t taps, std::int32_t stride,
                                    std::int32_t dilation, padding_kind padding,
                                    std::int32_t more) {
  const std::int32_t reach = (taps - 1) * dilation + 1;
  const bool same = padding == padding_kind::same;
  if (more < 0) {
    const std::int32_t beyond = !same && reach > stride ? reach - stride : 0;
    return inputs * stride + beyond;
  }
  return (inputs - 1) * stride + reach - (same ? reach / 2 * 2 : 0) + more;
}

/// The image, (rows, columns, filters); of a sequence of one row.
constexpr shape image_of(const convolution_options& options, const shape& input) {
  const std::int32_t rows =
      options.axes == 1
          ? 1
          : image_extent(input[0], options.kernel_rows, options.stride_rows, options.dilation_rows,
                         options.padding, options.output_padding_rows);
  const std::int32_t columns =
      image_extent(input[1], options.kernel_columns, options.stride_columns,
                   options.dilation_columns, options.padding, options.output_padding_columns);
  return {rows, columns, options.filters};
}

/// The convolution that makes the input of the image; `channels` are its filters.
constexpr convolution placed(const convolution_options& options, const shape& input,
                             std::int32_t batch) {
  convolution_options chosen = options;
  chosen.filters = input[2];
  return convolution_rules::placed(chosen, image_of(options, input), batch);
}

constexpr problem check_output_padding(const convolution_options& options, const shape& input) {
  const bool given = options.output_padding_columns >= 0;
  const label numbers = convolution_rules::numbers_of(options.axes, options.output_padding_rows,
                                                      options.output_padding_columns);
  const bool of_images = options.axes == 2;
  if (given && ((of_images && options.output_padding_rows >= options.stride_rows) ||
                options.output_padding_columns >= options.stride_columns)) {
    return refuse("an output_padding below the strides", numbers,
                  of_images ? "a longer image is another number of strides"
                            : "a longer sequence is another number of strides");
  }
  const shape image = image_of(options, input);
  if (image[0] < 1 || image[1] < 1) {
    return refuse("an output of at least 1 pixel", ipu_dsl::describe(image));
  }
  const conv2d_call made = placed(options, input, 1).key;
  if (made.output_rows != input[0] || made.output_columns != input[1]) {
    return refuse(
        "an output_padding with which a convolution of the output has the extents of the "
        "input",
        numbers, "same_padding with an even kernel takes no output_padding of 0");
  }
  return {};
}

constexpr problem find_fault(const convolution_options& options, const shape& input) {
  if (options.filters <= 0) {
    return convolution_rules::refuse_filters(options);
  }
  problem found = convolution_rules::check_kernel(options);
  if (!found.found()) {
    found = convolution_rules::check_steps(options);
  }
  if (!found.found() && options.padding == padding_kind::causal) {
    found = refuse("valid_padding or same_padding", "causal_padding", "a Conv1D takes it");
  }
  if (!found.found() && input.rank != options.axes + 1) {
    found = convolution_rules::refuse_rank(options.axes, input);
  }
  return found.found() ? found : check_output_padding(options, convolution_rules::as_image(input));
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<convolution_options>();
  const shape input = draft.input(0);
  const problem wrong = find_fault(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const bool of_images = options.axes == 2;
  const convolution made = placed(options, convolution_rules::as_image(input), 1);
  const shape kernel = made.kernel_extents();
  const shape image = made.input_extents();
  draft.parameter("kernel", of_images ? kernel : shape{kernel[1], kernel[2], kernel[3]},
                  draft.start(0), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.filters}, draft.start(1), storage::panel_bias);
  }
  draft.output(of_images ? image : shape{image[1], image[2]});
  return {};
}

constexpr convolution convolution_of(const emitter& emit) {
  return placed(emit.options<convolution_options>(),
                convolution_rules::as_image(emit.input_shape(0)), emit.batch());
}

/// The same without bias and activation, for its gradients.
constexpr convolution linear_part(const convolution& whole) {
  convolution made = whole;
  made.key.has_bias = 0;
  made.key.activation = activation_kind::linear;
  return made;
}

constexpr void forward(emitter& emit) {
  const convolution made = convolution_of(emit);
  const buffer_ref transposed = made.transpose_kernel(emit, convolution_rules::transposed_tag);
  made.transposed_forward(emit, emit.output_value(0), emit.input_value(0), transposed);
}

/// The gradient of the image before the activation.
constexpr buffer_ref masked(const emitter& emit, const convolution& made) {
  return made.masked(emit, convolution_rules::masked_tag, emit.output_gradient(0),
                     made.input_extents());
}

/// A convolution of the gradient.
constexpr void input_gradient(emitter& emit) {
  const convolution made = convolution_of(emit);
  const buffer_ref d = masked(emit, made);
  made.mask_gradient(emit, d, emit.output_gradient(0), emit.output_value(0));
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const buffer_ref written = convolution_rules::pixels_written(emit, made.output_extents());
  linear_part(made).forward(emit, written, d, made.kernel_value(emit));
  convolution_rules::finish_pixels(emit, written);
}

constexpr void weight_gradient(emitter& emit) {
  const convolution made = convolution_of(emit);
  const buffer_ref d = masked(emit, made);
  linear_part(made).weight_gradient(emit, d, emit.input_value(0));
  if (made.key.has_bias != 0) {
    made.bias_gradient(emit, d);
  }
}

/// Reads and writes pixels.
constexpr family family_called(std::string_view name) {
  return {.name = name,
          .describe = convolution_rules::describe,
          .shapes = shapes,
          .forward = forward,
          .input_gradient = input_gradient,
          .weight_gradient = weight_gradient,
          .activation = activation_in<convolution_options>,
          .reads = {storage::positions},
          .writes = {storage::positions},
          .updates_with_gradient = true};
}

}  // namespace transposed_rules

/// Its calls are those of the Conv2D whose input gradient it is.
inline constexpr family conv2d_transpose_family =
    transposed_rules::family_called("Conv2DTranspose");

inline constexpr problem two_output_paddings_of_sequence =
    refuse("one number in output_padding<...>", "rows and columns", "a sequence has steps alone");

/// What the options of a transposed convolution say.
template <typename... Options>
struct transposed_reading {
  using common = convolution_reading<Options...>;
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&strides_key,
                                                   &padding_key,
                                                   &output_padding_key,
                                                   &activation_key,
                                                   &alpha_key,
                                                   &use_bias_key,
                                                   &init_key,
                                                   &bias_init_key,
                                                   &dilation_rate_key,
                                                   &kernel_regularizer_key,
                                                   &bias_regularizer_key,
                                                   &kernel_constraint_key,
                                                   &bias_constraint_key,
                                                   &activity_regularizer_key};
  static constexpr problem fault = find_weights_fault(given, accepted);
  static constexpr std::int32_t padding_rows = given.integer(output_padding_key, -1);
  static constexpr auto padding_columns =
      static_cast<std::int32_t>(given.number(output_padding_key, -1));

  /// What a convolution with the same options is.
  static constexpr element of(const element& read) {
    if (read.kind == element_kind::foreign) {
      return read;
    }
    auto chosen = read.options.template as<convolution_options>();
    if (chosen.axes == 1 && padding_rows != padding_columns) {
      return unfit_layer("Conv1DTranspose<filters, kernel>", two_output_paddings_of_sequence);
    }
    chosen.output_padding_rows = padding_rows;
    chosen.output_padding_columns = padding_columns;
    element made = read;
    made.options = attributes::of(chosen);
    made.fault = &fault;
    return made;
  }
};

/// activation(the image that a Conv2D of this kernel makes its input of + bias), the input being
/// (rows, columns, channels): kernel [rows, columns, filters, channels], bias [filters]. `Kernel`
/// is a number for a square one, or `kernel_size{3, 5}`. Options in any order, with Keras's
/// defaults: `strides<...>` (1), `same_padding` (`valid_padding`), `output_padding<...>` (as much
/// as may be), `dilation_rate<...>` (1), an activation (linear), `alpha<...>` of it,
/// `use_bias<...>` (true), `init<...>` (glorot_uniform), `bias_init<...>` (zeros);
/// `kernel_regularizer<...>`, `bias_regularizer<...>`, `kernel_constraint<...>`,
/// `bias_constraint<...>`, `activity_regularizer<...>` (none).
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv2DTranspose {
  static constexpr element description =
      transposed_reading<Options...>::of(convolution_reading<Options...>::of_images(
          conv2d_transpose_family, "Conv2DTranspose<filters, kernel>",
          read_whole<"filters">(Filters), read_kernel(Kernel)));
};

}  // namespace ipu_dsl
