// SPDX-License-Identifier: MIT
// Conv2D: activation(convolution of an image with a kernel + bias).
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/repacking.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>
#include <ipu_dsl/vocabulary/layers/window_options.hpp>

namespace ipu_dsl {

struct conv2d_options {
  std::int32_t filters = 0;
  std::int32_t kernel_rows = 0;
  std::int32_t kernel_columns = 0;
  std::int32_t stride_rows = 1;
  std::int32_t stride_columns = 1;
  std::int32_t fills_up = 0;  ///< same_padding
  activation_kind activation = activation_kind::linear;
  float alpha = 0;
  std::int32_t has_bias = 1;
};

enum class conv2d_variant : std::int32_t {
  forward,            ///< writes y, reads x, kernel[, bias]
  transposed_kernel,  ///< writes for each tap the transpose of its weights, reads kernel
  input_gradient,     ///< writes the input's gradient, reads d, the transposed kernel
  /// Adds to the accumulators of kernel[, bias], reads x, d; an update is as Dense's.
  weight_gradient
};

struct conv2d_call {
  conv2d_variant variant;
  std::int32_t batch;
  std::int32_t rows;  ///< of the input
  std::int32_t columns;
  std::int32_t channels;
  std::int32_t filters;
  std::int32_t kernel_rows;
  std::int32_t kernel_columns;
  std::int32_t stride_rows;
  std::int32_t stride_columns;
  std::int32_t padding_rows;  ///< rows of padding before the first of the input
  std::int32_t padding_columns;
  std::int32_t output_rows;
  std::int32_t output_columns;
  activation_kind activation;
  std::int32_t has_bias;
  std::int32_t input_in_one_row;  ///< its pixels are not padded one by one
};

namespace conv2d_rules {

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<conv2d_options>();
  label words = "Conv2D<";
  words << options.filters << ", ";
  if (options.kernel_rows == options.kernel_columns) {
    words << options.kernel_rows;
  } else {
    words << "kernel_size{" << options.kernel_rows << ", " << options.kernel_columns << "}";
  }
  if (options.stride_rows != options.stride_columns) {
    words << ", strides<" << options.stride_rows << ", " << options.stride_columns << ">";
  } else if (options.stride_rows != 1) {
    words << ", strides<" << options.stride_rows << ">";
  }
  if (options.fills_up != 0) {
    words << ", same_padding";
  }
  if (options.activation != activation_kind::linear) {
    words << ", " << name_of(options.activation);
  }
  words << ">";
  return words;
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<conv2d_options>();
  const shape input = draft.input(0);
  if (options.filters <= 0) {
    return refuse("at least 1 filter", label() << options.filters);
  }
  if (options.kernel_rows <= 0 || options.kernel_columns <= 0) {
    return refuse("a kernel of at least 1 row and 1 column",
                  label() << options.kernel_rows << " x " << options.kernel_columns);
  }
  if (options.stride_rows <= 0 || options.stride_columns <= 0) {
    return refuse("strides of at least 1",
                  label() << options.stride_rows << " and " << options.stride_columns);
  }
  if (input.rank != 3) {
    return refuse("an image (rows, columns, channels)", ipu_dsl::describe(input),
                  "Reshape<28, 28, 1> makes a picture an image of one channel");
  }
  const bool larger = options.kernel_rows > input[0] || options.kernel_columns > input[1];
  if (larger && options.fills_up == 0) {
    return refuse("a kernel within the image",
                  label() << options.kernel_rows << " x " << options.kernel_columns << " on "
                          << ipu_dsl::describe(input),
                  "same_padding fills the image up with zeros");
  }
  draft.parameter("kernel",
                  {options.kernel_rows, options.kernel_columns, input[2], options.filters},
                  draft.start(0), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.filters}, draft.start(1), storage::panel_bias);
  }
  const bool fills_up = options.fills_up != 0;
  draft.output(
      {window_placing(input[0], options.kernel_rows, options.stride_rows, fills_up).outputs,
       window_placing(input[1], options.kernel_columns, options.stride_columns, fills_up).outputs,
       options.filters});
  return {};
}

constexpr conv2d_call key_of(const emitter& emit, conv2d_variant variant) {
  const auto options = emit.options<conv2d_options>();
  const shape& input = emit.input_shape(0);
  const bool fills_up = options.fills_up != 0;
  const window_placing rows(input[0], options.kernel_rows, options.stride_rows, fills_up);
  const window_placing columns(input[1], options.kernel_columns, options.stride_columns, fills_up);
  return {.variant = variant,
          .batch = emit.batch(),
          .rows = input[0],
          .columns = input[1],
          .channels = input[2],
          .filters = options.filters,
          .kernel_rows = options.kernel_rows,
          .kernel_columns = options.kernel_columns,
          .stride_rows = options.stride_rows,
          .stride_columns = options.stride_columns,
          .padding_rows = rows.padding,
          .padding_columns = columns.padding,
          .output_rows = rows.outputs,
          .output_columns = columns.outputs,
          .activation = fused_activation(options.activation),
          .has_bias = options.has_bias,
          .input_in_one_row = emit.input_value(0).lies == storage::rows ? 1 : 0};
}

constexpr void forward(emitter& emit) {
  const conv2d_call key = key_of(emit, conv2d_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [row, column] = call.over(key.output_rows, key.output_columns);
  const axis_id filter = call.over(key.filters);
  const axis_id tap_row = call.all(key.kernel_rows);
  const axis_id tap_column = call.all(key.kernel_columns);
  const axis_id channel = call.all(key.channels);
  call.scalar(emit.options<conv2d_options>().alpha)
      .writes(emit.output_value(0), {sample, row, column, filter})
      .reads(emit.input_value(0),
             {sample, window(row, tap_row, key.stride_rows, 1, key.padding_rows),
              window(column, tap_column, key.stride_columns, 1, key.padding_columns), channel})
      .reads(emit.parameter_value(0), {tap_row, tap_column, channel, filter});
  if (key.has_bias != 0) {
    call.reads(emit.parameter_value(1), {filter});
  }
}

/// The gradient of the output before the activation.
constexpr buffer_ref pre_activation_gradient(const emitter& emit) {
  return fused_activation(emit.options<conv2d_options>().activation) == activation_kind::linear
             ? emit.output_gradient(0)
             : emit.scratch(0, emit.output_shape(0), storage::positions);
}

/// What the activation does to the gradient is a call of its family.
constexpr void mask_gradient(emitter& emit) {
  const auto options = emit.options<conv2d_options>();
  if (fused_activation(options.activation) == activation_kind::linear) {
    return;
  }
  const shape& output = emit.output_shape(0);
  const activation_call key = {.variant = activation_variant::gradient,
                               .kind = fused_activation(options.activation),
                               .rows = emit.batch() * output[0] * output[1],
                               .units = options.filters};
  call_draft call = emit.call_of(activation_family, key);
  const axis_id sample = call.over(emit.batch());
  const auto [row, column] = call.over(output[0], output[1]);
  const axis_id filter = call.over(output[2]);
  call.scalar(options.alpha)
      .writes(pre_activation_gradient(emit), {sample, row, column, filter})
      .reads(emit.output_gradient(0), {sample, row, column, filter})
      .reads(emit.output_value(0), {sample, row, column, filter});
}

/// The kernel with the weights of each tap transposed, for a product that sums over filters.
constexpr buffer_ref transposed_kernel(const emitter& emit, const conv2d_call& key) {
  buffer_ref made = emit.scratch(
      1, {key.kernel_rows, key.kernel_columns, key.filters, key.channels}, storage::panels);
  made.by_sample = false;
  return made;
}

constexpr void transpose_kernel(emitter& emit) {
  const conv2d_call key = key_of(emit, conv2d_variant::transposed_kernel);
  call_draft call = emit.call(key);
  const auto [row, column] = call.over(key.kernel_rows, key.kernel_columns);
  const auto [channel, filter] = call.over(key.channels, key.filters);
  call.writes(transposed_kernel(emit, key), {row, column, filter, channel})
      .reads(emit.parameter_value(0), {row, column, channel, filter});
}

/// Whole pixels are written: where they have no padding to be written to, into scratch.
constexpr void input_gradient(emitter& emit) {
  mask_gradient(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  transpose_kernel(emit);
  const bool in_place =
      emit.input_gradient_lies(0) == storage::positions || !pads_positions(emit.input_shape(0));
  const buffer_ref made =
      in_place ? emit.input_gradient(0) : emit.scratch(2, emit.input_shape(0), storage::positions);
  const conv2d_call key = key_of(emit, conv2d_variant::input_gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [row, column] = call.over(key.rows, key.columns);
  const axis_id channel = call.over(key.channels);
  const axis_id tap_row = call.all(key.kernel_rows);
  const axis_id tap_column = call.all(key.kernel_columns);
  const axis_id filter = call.all(key.filters);
  call.writes(made, {sample, row, column, channel})
      .reads(pre_activation_gradient(emit),
             {sample, window_over(row, tap_row, key.stride_rows, 1, key.padding_rows),
              window_over(column, tap_column, key.stride_columns, 1, key.padding_columns), filter})
      .reads(transposed_kernel(emit, key), {tap_row, tap_column, filter, channel})
      .costs(std::int64_t{key.batch} * key.output_rows * key.output_columns * key.filters *
             key.kernel_rows * key.kernel_columns * key.channels);
  if (!in_place) {
    repacking::repack(emit, emit.input_gradient(0), made);
  }
}

/// The gradients of kernel and bias, from the same operands.
constexpr void weight_gradient(emitter& emit) {
  const conv2d_call key = key_of(emit, conv2d_variant::weight_gradient);
  const family* const ending = emit.fused_update();
  const buffer_ref d = pre_activation_gradient(emit);
  call_draft call = emit.call(key);
  call.ends_with(ending);
  const auto [tap_row, tap_column] = call.over(key.kernel_rows, key.kernel_columns);
  const auto [channel, filter] = call.over(key.channels, key.filters);
  const axis_id sample = call.all(key.batch);
  const axis_id row = call.all(key.output_rows);
  const axis_id column = call.all(key.output_columns);
  call.updates(emit.accumulator(0), {tap_row, tap_column, channel, filter});
  axis_id filter_of_bias;
  axis_id sample_of_bias;
  axis_id row_of_bias;
  axis_id column_of_bias;
  if (key.has_bias != 0) {
    call.beside();
    filter_of_bias = call.over(key.filters);
    sample_of_bias = call.all(key.batch);
    row_of_bias = call.all(key.output_rows);
    column_of_bias = call.all(key.output_columns);
    call.updates(emit.accumulator(1), {filter_of_bias});
  }
  update_parameter(emit, call, ending, 0, {tap_row, tap_column, channel, filter});
  if (key.has_bias != 0) {
    update_parameter(emit, call, ending, 1, {filter_of_bias});
  }
  call.reads(emit.input_value(0),
             {sample, window(row, tap_row, key.stride_rows, 1, key.padding_rows),
              window(column, tap_column, key.stride_columns, 1, key.padding_columns), channel})
      .reads(d, {sample, row, column, filter});
  if (key.has_bias != 0) {
    call.reads(d, {sample_of_bias, row_of_bias, column_of_bias, filter_of_bias});
  }
}

}  // namespace conv2d_rules

/// Reads images however they lie, and writes pixels.
inline constexpr family conv2d_family{.name = "Conv2D",
                                      .describe = conv2d_rules::describe,
                                      .shapes = conv2d_rules::shapes,
                                      .forward = conv2d_rules::forward,
                                      .input_gradient = conv2d_rules::input_gradient,
                                      .weight_gradient = conv2d_rules::weight_gradient,
                                      .reads = {storage::positions, storage::rows},
                                      .writes = {storage::positions},
                                      .updates_with_gradient = true};

/// What the options of a Conv2D say, read once for all layers with the same ones.
template <typename... Options>
struct conv2d_reading {
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

  static constexpr conv2d_options options{
      .stride_rows = given.integer(strides_key, 1),
      .stride_columns = static_cast<std::int32_t>(given.number(strides_key, 1)),
      .fills_up = given.integer(padding_key, 0),
      .activation = kind,
      .alpha = given.number(alpha_key, default_alpha(kind)),
      .has_bias = given.integer(use_bias_key, 1)};

  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start),
                                           start_of(given, bias_init_key, zeros::start)};

  static constexpr element separate_activation = separate_activation_of(kind, options.alpha);

  static constexpr element with_sizes(const whole_number& filters, const read_kernel& kernel) {
    const problem* const unread = first_fault({filters, kernel.rows, kernel.columns});
    if (unread != nullptr) {
      return unfit_layer("Conv2D<...>", *unread);
    }
    conv2d_options chosen = options;
    chosen.filters = filters.value;
    chosen.kernel_rows = kernel.rows.value;
    chosen.kernel_columns = kernel.columns.value;
    return {.kind = element_kind::layer,
            .rule = &conv2d_family,
            .options = attributes::of(chosen),
            .starts = starts,
            .followed_by = gradient_from_output(kind) ? nullptr : &separate_activation,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// activation(image * kernel + bias), the image being (rows, columns, channels): kernel [rows,
/// columns, channels, filters], bias [filters]. `Kernel` is a number for a square one, or
/// `kernel_size{3, 5}`. Options in any order, with Keras's defaults: `strides<...>` (1),
/// `same_padding` (`valid_padding`), an activation (linear), `alpha<...>` of it, `use_bias<...>`
/// (true), `init<...>` (glorot_uniform), `bias_init<...>` (zeros); `kernel_regularizer<...>`,
/// `bias_regularizer<...>`, `kernel_constraint<...>`, `bias_constraint<...>`,
/// `activity_regularizer<...>` (none).
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv2D {
  static constexpr element description =
      conv2d_reading<Options...>::with_sizes(whole(Filters), read_kernel(Kernel));
};

}  // namespace ipu_dsl
