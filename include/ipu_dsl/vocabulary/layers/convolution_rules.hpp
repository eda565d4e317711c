// SPDX-License-Identifier: MIT
// The rules of families of convolutions, and how their options are read.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/repacking.hpp>
#include <ipu_dsl/vocabulary/layers/convolution_checks.hpp>

namespace ipu_dsl {

/// The family whose calls all convolutions are: Conv2D.
constexpr const family& convolution_code();

namespace convolution_rules {

/// On an image, a micro-batch of `batch` of them.
constexpr convolution placed(const convolution_options& options, const shape& image,
                             std::int32_t batch) {
  const window_placing rows(image[0], options.kernel_rows, options.stride_rows, options.padding,
                            options.dilation_rows);
  const window_placing columns(image[1], options.kernel_columns, options.stride_columns,
                               options.padding, options.dilation_columns);
  // Of a sequence, the one row has no padding.
  const bool of_images = options.axes == 2;
  return {.code = &convolution_code(),
          .key = {.variant = conv2d_variant::forward,
                  .batch = batch,
                  .rows = image[0],
                  .columns = image[1],
                  .channels = image[2],
                  .filters = options.filters,
                  .kernel_rows = options.kernel_rows,
                  .kernel_columns = options.kernel_columns,
                  .stride_rows = options.stride_rows,
                  .stride_columns = options.stride_columns,
                  .padding_rows = of_images ? rows.padding : 0,
                  .padding_columns = columns.padding,
                  .output_rows = of_images ? rows.outputs : 1,
                  .output_columns = columns.outputs,
                  .activation = fused_activation(options.activation),
                  .has_bias = options.has_bias,
                  .input_in_one_row = 0,
                  .dilation_rows = options.dilation_rows,
                  .dilation_columns = options.dilation_columns,
                  .groups = options.groups},
          .alpha = options.alpha};
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<convolution_options>();
  const shape input = draft.input(0);
  const problem wrong = find_fault(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const bool of_images = options.axes == 2;
  const conv2d_call made = placed(options, as_image(input), 1).key;
  if (of_images) {
    draft.parameter("kernel", {made.kernel_rows, made.kernel_columns, made.depth(), made.filters},
                    draft.start(0), storage::panels);
  } else {
    draft.parameter("kernel", {made.kernel_columns, made.depth(), made.filters}, draft.start(0),
                    storage::panels);
  }
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.filters}, draft.start(1), storage::panel_bias);
  }
  if (of_images) {
    draft.output({made.output_rows, made.output_columns, made.filters});
  } else {
    draft.output({made.output_columns, made.filters});
  }
  return {};
}

/// Whether what is read has its pixels padded one by one, or lies as if it had.
constexpr bool reads_pixels(const emitter& emit) {
  return emit.input_value(0).lies == storage::positions || !pads_positions(emit.input_shape(0));
}

constexpr convolution convolution_of(const emitter& emit) {
  convolution made =
      placed(emit.options<convolution_options>(), as_image(emit.input_shape(0)), emit.batch());
  const bool in_rows =
      made.key.lanewise() ? !reads_pixels(emit) : emit.input_value(0).lies == storage::rows;
  made.key.input_in_one_row = in_rows ? 1 : 0;
  return made;
}

/// Tags of scratch.
enum scratch_tag : std::int32_t {
  masked_tag,
  transposed_tag,
  pixels_tag,
  packed_tag,
  forward_image_tag,
  backward_image_tag,
  gradient_tag,
  packed_again_tag,
  pointwise_transposed_tag,
  between_tag,
  between_again_tag,
  between_gradient_tag,
  carried_tag
};

constexpr void forward_of(emitter& emit, const convolution& made) {
  const buffer_ref x = made.image_read(emit, emit.input_value(0), forward_image_tag);
  made.forward(emit, emit.output_value(0), x, made.kernel_read(emit, packed_tag));
}

/// Where whole pixels of the input's gradient are written: into scratch, where they have no padding
/// to be written to.
constexpr buffer_ref pixels_written(const emitter& emit, const shape& extents) {
  const bool in_place =
      emit.input_gradient_lies(0) == storage::positions || !pads_positions(emit.input_shape(0));
  return in_place ? emit.input_gradient(0) : emit.scratch(pixels_tag, extents, storage::positions);
}

constexpr void finish_pixels(emitter& emit, const buffer_ref& written) {
  if (written.role == buffer_role::scratch) {
    repacking::repack(emit, emit.input_gradient(0), written);
  }
}

/// From d, the gradient before the activation.
constexpr void input_gradient_of(emitter& emit, const convolution& made, const buffer_ref& d) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const buffer_ref transposed = made.transpose_kernel(emit, transposed_tag);
  const buffer_ref written = pixels_written(emit, made.input_extents());
  made.input_gradient(emit, written, made.gradient_read(emit, d, gradient_tag), transposed,
                      emit.puts_through(0), emit.input_value(0));
  finish_pixels(emit, written);
}

/// As its gradients see it: without an activation that the output's has been put through.
constexpr convolution behind_activation(const emitter& emit, convolution made) {
  if (emit.is_put_through(0)) {
    made.key.activation = activation_kind::linear;
  }
  return made;
}

/// The same from the gradient of the output, through the activation.
constexpr void masked_input_gradient(emitter& emit, const convolution& given) {
  const convolution made = behind_activation(emit, given);
  const buffer_ref d =
      made.masked(emit, masked_tag, emit.output_gradient(0), made.output_extents());
  made.mask_gradient(emit, d, emit.output_gradient(0), emit.output_value(0));
  input_gradient_of(emit, made, d);
}

constexpr void masked_weight_gradient(emitter& emit, const convolution& given) {
  const convolution made = behind_activation(emit, given);
  made.weight_gradient(
      emit, made.image_read(emit, emit.input_value(0), backward_image_tag),
      made.masked(emit, masked_tag, emit.output_gradient(0), made.output_extents()));
}

constexpr void forward(emitter& emit) {
  forward_of(emit, convolution_of(emit));
}

constexpr void input_gradient(emitter& emit) {
  masked_input_gradient(emit, convolution_of(emit));
}

constexpr void weight_gradient(emitter& emit) {
  masked_weight_gradient(emit, convolution_of(emit));
}

/// Reads images and sequences however they lie, and writes pixels.
constexpr family family_called(std::string_view name) {
  return {.name = name,
          .describe = describe,
          .shapes = shapes,
          .forward = forward,
          .input_gradient = input_gradient,
          .weight_gradient = weight_gradient,
          .activation = activation_in<convolution_options>,
          .applies_activation = true,
          .takes_gradient_put_through = true,
          .puts_through = puts_through,
          .folds_channels = folds_with_bias<convolution_options>,
          .reads = {storage::positions, storage::rows},
          .writes = {storage::positions},
          .updates_with_gradient = true};
}

}  // namespace convolution_rules

inline constexpr family conv2d_family = convolution_rules::family_called("Conv2D");

constexpr const family& convolution_code() {
  return conv2d_family;
}

/// What the options of a convolution say, read once for all layers with the same ones.
template <typename... Options>
struct convolution_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {
      &strides_key,          &padding_key,
      &activation_key,       &alpha_key,
      &use_bias_key,         &init_key,
      &bias_init_key,        &dilation_rate_key,
      &groups_key,           &kernel_regularizer_key,
      &bias_regularizer_key, &kernel_constraint_key,
      &bias_constraint_key,  &activity_regularizer_key};
  static constexpr auto kind = static_cast<activation_kind>(given.integer(activation_key, 0));
  static constexpr problem fault = find_weights_fault(given, accepted);

  /// Of images and sequences no option has three numbers.
  static constexpr bool has_third = given.third(strides_key) > 0 ||
                                    given.third(dilation_rate_key) > 0;

  /// The second of two numbers of an option.
  static constexpr std::int32_t second(const option_key& key) {
    return static_cast<std::int32_t>(given.number(key, 1));
  }

  /// All but filters and kernel.
  static constexpr convolution_options options{
      .stride_rows = given.integer(strides_key, 1),
      .stride_columns = second(strides_key),
      .dilation_rows = given.integer(dilation_rate_key, 1),
      .dilation_columns = second(dilation_rate_key),
      .groups = given.integer(groups_key, 1),
      .padding = padding_of(given),
      .activation = kind,
      .alpha = given.number(alpha_key, default_alpha(kind)),
      .has_bias = given.integer(use_bias_key, 1)};

  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start),
                                           start_of(given, bias_init_key, zeros::start)};

  static constexpr element separate_activation = separate_activation_of(kind, options.alpha);

  static constexpr element described(const family& rule, const convolution_options& chosen) {
    return {.kind = element_kind::layer,
            .rule = &rule,
            .options = attributes::of(chosen),
            .starts = starts,
            .followed_by = gradient_from_output(kind) ? nullptr : &separate_activation,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }

  static constexpr element of_images(const family& rule, std::string_view name,
                                     const whole_number& filters, const read_kernel& kernel) {
    const problem* const unread = first_fault({filters, kernel.rows, kernel.columns});
    if (!is_null(unread)) {
      return unfit_layer(name, *unread);
    }
    if (has_third) {
      return unfit_layer(name, three_numbers_of_image);
    }
    convolution_options chosen = options;
    chosen.filters = filters.value;
    chosen.kernel_rows = kernel.rows.value;
    chosen.kernel_columns = kernel.columns.value;
    return described(rule, chosen);
  }

  static constexpr element of_sequences(const family& rule, std::string_view name,
                                        const whole_number& filters, const whole_number& kernel) {
    const problem* const unread = first_fault({filters, kernel});
    if (!is_null(unread)) {
      return unfit_layer(name, *unread);
    }
    if (has_third) {
      return unfit_layer(name, three_numbers_of_image);
    }
    if (given.third(strides_key) == two_numbers) {
      return unfit_layer(name, two_strides_of_sequence);
    }
    if (given.third(dilation_rate_key) == two_numbers) {
      return unfit_layer(name, two_dilations_of_sequence);
    }
    convolution_options chosen = options;
    chosen.axes = 1;
    chosen.filters = filters.value;
    chosen.kernel_columns = kernel.value;
    chosen.stride_rows = 1;
    chosen.dilation_rows = 1;
    return described(rule, chosen);
  }
};

}  // namespace ipu_dsl
