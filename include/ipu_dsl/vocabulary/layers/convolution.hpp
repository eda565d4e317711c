// SPDX-License-Identifier: MIT
// Convolutions of images and sequences: their options, where kernels stand, the calls that they
// are. Over 300 lines: one description of a convolution, and what each of its calls reads and
// writes.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/repacking.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>
#include <ipu_dsl/vocabulary/layers/window_options.hpp>

namespace ipu_dsl {

/// Of sequences, rows are left at 1.
struct convolution_options {
  std::int32_t axes = 2;  ///< 1: (steps, channels), 2: (rows, columns, channels)
  std::int32_t filters = 0;
  std::int32_t kernel_rows = 1;
  std::int32_t kernel_columns = 1;
  std::int32_t stride_rows = 1;
  std::int32_t stride_columns = 1;
  std::int32_t dilation_rows = 1;
  std::int32_t dilation_columns = 1;
  std::int32_t groups = 1;
  padding_kind padding = padding_kind::valid;
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
  std::int32_t dilation_rows = 1;
  std::int32_t dilation_columns = 1;
};

/// The family whose code all convolutions are, which is Conv2D.
constexpr const family& convolution_code();

/// One convolution of a node. Images are (rows, columns, features), the kernel is (rows, columns,
/// channels, filters); the buffers that are given hold these, whatever the node sees in them.
struct convolution {
  conv2d_call key;          ///< of the forward call
  float alpha = 0;          ///< of the activation
  std::int32_t kernel = 0;  ///< its number among the node's parameters
  std::int32_t bias = 1;    ///< the same, if there is one

  constexpr shape input_extents() const { return {key.rows, key.columns, key.channels}; }

  constexpr shape output_extents() const {
    return {key.output_rows, key.output_columns, key.filters};
  }

  constexpr shape kernel_extents() const {
    return {key.kernel_rows, key.kernel_columns, key.channels, key.filters};
  }

  constexpr conv2d_call of_variant(conv2d_variant variant) const {
    conv2d_call made = key;
    made.variant = variant;
    return made;
  }

  constexpr reach row_seen(axis_id output, axis_id tap) const {
    return window(output, tap, key.stride_rows, key.dilation_rows, key.padding_rows);
  }

  constexpr reach column_seen(axis_id output, axis_id tap) const {
    return window(output, tap, key.stride_columns, key.dilation_columns, key.padding_columns);
  }

  constexpr buffer_ref kernel_value(const emitter& emit) const {
    return emit.parameter_value(kernel).as(kernel_extents());
  }

  /// y = activation(x * kernel + bias)
  constexpr void forward(emitter& emit, const buffer_ref& y, const buffer_ref& x) const {
    call_draft call = emit.call_of(convolution_code(), of_variant(conv2d_variant::forward));
    const axis_id sample = call.over(key.batch);
    const auto [row, column] = call.over(key.output_rows, key.output_columns);
    const axis_id filter = call.over(key.filters);
    const axis_id tap_row = call.all(key.kernel_rows);
    const axis_id tap_column = call.all(key.kernel_columns);
    const axis_id channel = call.all(key.channels);
    call.scalar(alpha)
        .writes(y.as(output_extents()), {sample, row, column, filter})
        .reads(x.as(input_extents()),
               {sample, row_seen(row, tap_row), column_seen(column, tap_column), channel})
        .reads(kernel_value(emit), {tap_row, tap_column, channel, filter});
    if (key.has_bias != 0) {
      call.reads(emit.parameter_value(bias), {filter});
    }
  }

  /// What the activation does to the gradient `d` of y is a call of its family. Returns what is the
  /// gradient before it: scratch `tag`, or d itself.
  constexpr buffer_ref masked(const emitter& emit, std::int32_t tag, const buffer_ref& d) const {
    return key.activation == activation_kind::linear
               ? d.as(output_extents())
               : emit.scratch(tag, output_extents(), storage::positions);
  }

  constexpr void mask_gradient(emitter& emit, const buffer_ref& made, const buffer_ref& d,
                               const buffer_ref& y) const {
    if (key.activation == activation_kind::linear) {
      return;
    }
    call_draft call = emit.call_of(
        activation_family, activation_call{.variant = activation_variant::gradient,
                                           .kind = key.activation,
                                           .rows = key.batch * key.output_rows * key.output_columns,
                                           .units = key.filters});
    const axis_id sample = call.over(key.batch);
    const auto [row, column] = call.over(key.output_rows, key.output_columns);
    const axis_id filter = call.over(key.filters);
    call.scalar(alpha)
        .writes(made, {sample, row, column, filter})
        .reads(d.as(output_extents()), {sample, row, column, filter})
        .reads(y.as(output_extents()), {sample, row, column, filter});
  }

  /// The kernel with the weights of each tap transposed, for a product that sums over filters.
  constexpr buffer_ref transpose_kernel(emitter& emit, std::int32_t tag) const {
    buffer_ref made = emit.scratch(
        tag, {key.kernel_rows, key.kernel_columns, key.filters, key.channels}, storage::panels);
    made.by_sample = false;
    call_draft call =
        emit.call_of(convolution_code(), of_variant(conv2d_variant::transposed_kernel));
    const auto [row, column] = call.over(key.kernel_rows, key.kernel_columns);
    const auto [channel, filter] = call.over(key.channels, key.filters);
    call.writes(made, {row, column, filter, channel})
        .reads(kernel_value(emit), {row, column, channel, filter});
    return made;
  }

  /// Of the gradient d before the activation, in whole pixels.
  constexpr void input_gradient(emitter& emit, const buffer_ref& made, const buffer_ref& d,
                                const buffer_ref& transposed) const {
    call_draft call = emit.call_of(convolution_code(), of_variant(conv2d_variant::input_gradient));
    const axis_id sample = call.over(key.batch);
    const auto [row, column] = call.over(key.rows, key.columns);
    const axis_id channel = call.over(key.channels);
    const axis_id tap_row = call.all(key.kernel_rows);
    const axis_id tap_column = call.all(key.kernel_columns);
    const axis_id filter = call.all(key.filters);
    call.writes(made.as(input_extents()), {sample, row, column, channel})
        .reads(d.as(output_extents()),
               {sample,
                window_over(row, tap_row, key.stride_rows, key.dilation_rows, key.padding_rows),
                window_over(column, tap_column, key.stride_columns, key.dilation_columns,
                            key.padding_columns),
                filter})
        .reads(transposed, {tap_row, tap_column, filter, channel})
        .costs(std::int64_t{key.batch} * key.output_rows * key.output_columns * key.filters *
               key.kernel_rows * key.kernel_columns * key.channels);
  }

  /// The gradients of kernel and bias, from the same operands.
  constexpr void weight_gradient(emitter& emit, const buffer_ref& x, const buffer_ref& d) const {
    const family* const ending = emit.fused_update();
    call_draft call = emit.call_of(convolution_code(), of_variant(conv2d_variant::weight_gradient));
    call.ends_with(ending);
    const auto [tap_row, tap_column] = call.over(key.kernel_rows, key.kernel_columns);
    const auto [channel, filter] = call.over(key.channels, key.filters);
    const axis_id sample = call.all(key.batch);
    const axis_id row = call.all(key.output_rows);
    const axis_id column = call.all(key.output_columns);
    call.updates(emit.accumulator(kernel).as(kernel_extents()),
                 {tap_row, tap_column, channel, filter});
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
      call.updates(emit.accumulator(bias), {filter_of_bias});
    }
    update_parameter(emit, call, ending, kernel, {tap_row, tap_column, channel, filter},
                     kernel_extents());
    if (key.has_bias != 0) {
      update_parameter(emit, call, ending, bias, {filter_of_bias});
    }
    call.reads(x.as(input_extents()),
               {sample, row_seen(row, tap_row), column_seen(column, tap_column), channel})
        .reads(d.as(output_extents()), {sample, row, column, filter});
    if (key.has_bias != 0) {
      call.reads(d.as(output_extents()),
                 {sample_of_bias, row_of_bias, column_of_bias, filter_of_bias});
    }
  }
};

namespace convolution_rules {

/// Sequences as images of one row.
constexpr shape as_image(const shape& input) {
  return input.rank == 2 ? shape{1, input[0], input[1]} : input;
}

constexpr label describe(const family& self, const attributes& attributes) {
  const auto options = attributes.as<convolution_options>();
  const bool of_images = options.axes == 2;
  label words = self.name;
  words << "<" << options.filters << ", ";
  if (of_images && options.kernel_rows != options.kernel_columns) {
    words << "kernel_size{" << options.kernel_rows << ", " << options.kernel_columns << "}";
  } else {
    words << options.kernel_columns;
  }
  if (of_images && options.stride_rows != options.stride_columns) {
    words << ", strides<" << options.stride_rows << ", " << options.stride_columns << ">";
  } else if (options.stride_columns != 1) {
    words << ", strides<" << options.stride_columns << ">";
  }
  if (of_images && options.dilation_rows != options.dilation_columns) {
    words << ", dilation_rate<" << options.dilation_rows << ", " << options.dilation_columns << ">";
  } else if (options.dilation_columns != 1) {
    words << ", dilation_rate<" << options.dilation_columns << ">";
  }
  if (options.groups != 1) {
    words << ", groups<" << options.groups << ">";
  }
  if (options.padding != padding_kind::valid) {
    words << ", " << ipu_dsl::name_of(options.padding);
  }
  if (options.activation != activation_kind::linear) {
    words << ", " << ipu_dsl::name_of(options.activation);
  }
  return words << ">";
}

/// What is wrong with an input of another rank.
constexpr problem refuse_rank(std::int32_t axes, const shape& input) {
  if (axes == 1) {
    return refuse("a sequence (steps, channels)", ipu_dsl::describe(input),
                  input.rank == 1 ? "Reshape<100, 1> makes a vector a sequence of one channel"
                                  : "a Conv2D takes an image");
  }
  return refuse("an image (rows, columns, channels)", ipu_dsl::describe(input),
                "Reshape<28, 28, 1> makes a picture an image of one channel");
}

/// "a kernel of at least 1 row and 1 column", "a kernel of at least 1 step"
constexpr problem check_kernel(const convolution_options& options) {
  if (options.kernel_rows > 0 && options.kernel_columns > 0) {
    return {};
  }
  if (options.axes == 1) {
    return refuse("a kernel of at least 1 step", label() << options.kernel_columns);
  }
  return refuse("a kernel of at least 1 row and 1 column",
                label() << options.kernel_rows << " x " << options.kernel_columns);
}

/// Rows and columns, or steps alone.
constexpr label numbers_of(std::int32_t axes, std::int32_t rows, std::int32_t columns) {
  label words;
  if (axes == 2) {
    words << rows << " and ";
  }
  return words << columns;
}

constexpr problem check_steps(const convolution_options& options) {
  if (options.stride_rows <= 0 || options.stride_columns <= 0) {
    return refuse("strides of at least 1",
                  numbers_of(options.axes, options.stride_rows, options.stride_columns));
  }
  if (options.dilation_rows <= 0 || options.dilation_columns <= 0) {
    return refuse("a dilation_rate of at least 1",
                  numbers_of(options.axes, options.dilation_rows, options.dilation_columns));
  }
  const bool strides = options.stride_rows > 1 || options.stride_columns > 1;
  if (strides && (options.dilation_rows > 1 || options.dilation_columns > 1)) {
    return refuse("strides of 1 beside a dilation_rate",
                  label("strides of ")
                      << numbers_of(options.axes, options.stride_rows, options.stride_columns)
                      << " and a dilation_rate of "
                      << numbers_of(options.axes, options.dilation_rows, options.dilation_columns),
                  "Keras refuses both at once as well");
  }
  return {};
}

constexpr problem check_within(const convolution_options& options, const shape& input) {
  const shape image = as_image(input);
  const std::int32_t rows = (options.kernel_rows - 1) * options.dilation_rows + 1;
  const std::int32_t columns = (options.kernel_columns - 1) * options.dilation_columns + 1;
  if (options.padding != padding_kind::valid || (rows <= image[0] && columns <= image[1])) {
    return {};
  }
  const bool of_images = options.axes == 2;
  label got;
  if (of_images) {
    got << rows << " x ";
  }
  got << columns << " on " << ipu_dsl::describe(input);
  return refuse(of_images ? "a kernel within the image" : "a kernel within the sequence", got,
                of_images ? "same_padding fills the image up with zeros"
                          : "same_padding and causal_padding fill the sequence up with zeros");
}

/// All that a convolution asks of its options and its input.
constexpr problem check(const convolution_options& options, const shape& input) {
  if (options.filters <= 0) {
    return refuse("at least 1 filter", label() << options.filters);
  }
  problem found = check_kernel(options);
  if (!found.found()) {
    found = check_steps(options);
  }
  if (!found.found() && options.axes == 2 && options.padding == padding_kind::causal) {
    found = refuse_causal();
  }
  if (!found.found() && input.rank != options.axes + 1) {
    found = refuse_rank(options.axes, input);
  }
  return found.found() ? found : check_within(options, input);
}

/// On an image, a micro-batch of `batch` of them.
constexpr convolution placed(const convolution_options& options, const shape& image,
                             std::int32_t batch) {
  const window_placing rows(image[0], options.kernel_rows, options.stride_rows, options.padding,
                            options.dilation_rows);
  const window_placing columns(image[1], options.kernel_columns, options.stride_columns,
                               options.padding, options.dilation_columns);
  // Of a sequence, the one row has no padding.
  const bool of_images = options.axes == 2;
  return {.key = {.variant = conv2d_variant::forward,
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
                  .dilation_columns = options.dilation_columns},
          .alpha = options.alpha};
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<convolution_options>();
  const shape input = draft.input(0);
  const problem wrong = check(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const bool of_images = options.axes == 2;
  const conv2d_call made = placed(options, as_image(input), 1).key;
  if (of_images) {
    draft.parameter("kernel", {made.kernel_rows, made.kernel_columns, made.channels, made.filters},
                    draft.start(0), storage::panels);
  } else {
    draft.parameter("kernel", {made.kernel_columns, made.channels, made.filters}, draft.start(0),
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

constexpr convolution convolution_of(const emitter& emit) {
  convolution made =
      placed(emit.options<convolution_options>(), as_image(emit.input_shape(0)), emit.batch());
  made.key.input_in_one_row = emit.input_value(0).lies == storage::rows ? 1 : 0;
  return made;
}

/// Tags of scratch.
inline constexpr std::int32_t masked_tag = 0;
inline constexpr std::int32_t transposed_tag = 1;
inline constexpr std::int32_t pixels_tag = 2;

constexpr void forward(emitter& emit) {
  convolution_of(emit).forward(emit, emit.output_value(0), emit.input_value(0));
}

/// Whole pixels are written: where they have no padding to be written to, into scratch.
constexpr void input_gradient(emitter& emit) {
  const convolution made = convolution_of(emit);
  const buffer_ref d = made.masked(emit, masked_tag, emit.output_gradient(0));
  made.mask_gradient(emit, d, emit.output_gradient(0), emit.output_value(0));
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const buffer_ref transposed = made.transpose_kernel(emit, transposed_tag);
  const bool in_place =
      emit.input_gradient_lies(0) == storage::positions || !pads_positions(emit.input_shape(0));
  const buffer_ref written =
      in_place ? emit.input_gradient(0)
               : emit.scratch(pixels_tag, made.input_extents(), storage::positions);
  made.input_gradient(emit, written, d, transposed);
  if (!in_place) {
    repacking::repack(emit, emit.input_gradient(0), written);
  }
}

constexpr void weight_gradient(emitter& emit) {
  const convolution made = convolution_of(emit);
  made.weight_gradient(emit, emit.input_value(0),
                       made.masked(emit, masked_tag, emit.output_gradient(0)));
}

/// Reads images and sequences however they lie, and writes pixels.
constexpr family family_called(std::string_view name) {
  return {.name = name,
          .describe = describe,
          .shapes = shapes,
          .forward = forward,
          .input_gradient = input_gradient,
          .weight_gradient = weight_gradient,
          .reads = {storage::positions, storage::rows},
          .writes = {storage::positions},
          .updates_with_gradient = true};
}

}  // namespace convolution_rules

inline constexpr problem two_strides_of_sequence =
    refuse("one number in strides<...>", "rows and columns", "a sequence has steps alone");

inline constexpr problem two_dilations_of_sequence =
    refuse("one number in dilation_rate<...>", "rows and columns", "a sequence has steps alone");

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

  /// The second of two numbers of an option.
  static constexpr std::int32_t second(const option_key& key) {
    return static_cast<std::int32_t>(given.number(key, 1));
  }

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
    if (unread != nullptr) {
      return unfit_layer(name, *unread);
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
    if (unread != nullptr) {
      return unfit_layer(name, *unread);
    }
    if (options.stride_rows != options.stride_columns) {
      return unfit_layer(name, two_strides_of_sequence);
    }
    if (options.dilation_rows != options.dilation_columns) {
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
