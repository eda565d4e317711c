// SPDX-License-Identifier: MIT
// Conv3D: activation(convolution of a volume with a kernel + bias).
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl {

/// Of planes, rows and columns.
struct three_numbers {
  std::int32_t planes = 1;
  std::int32_t rows = 1;
  std::int32_t columns = 1;

  constexpr bool below(std::int32_t least) const {
    return planes < least || rows < least || columns < least;
  }

  constexpr bool all_ones() const { return planes == 1 && rows == 1 && columns == 1; }

  constexpr bool equal() const { return planes == rows && rows == columns; }

  constexpr std::int32_t product() const { return planes * rows * columns; }
};

struct conv3d_options {
  std::int32_t filters = 0;
  three_numbers kernel;
  three_numbers strides;
  three_numbers dilation;
  padding_kind padding = padding_kind::valid;
  activation_kind activation = activation_kind::linear;
  float alpha = 0;
  std::int32_t has_bias = 1;
};

enum class conv3d_variant : std::int32_t {
  forward,            ///< writes y, reads x, kernel[, bias]
  transposed_kernel,  ///< writes for each tap the transpose of its weights, reads kernel
  input_gradient,     ///< writes the input's gradient, reads d, the transposed kernel
  /// Adds to the accumulators of kernel[, bias], reads x, d; an update is as Dense's.
  weight_gradient
};

struct conv3d_call {
  conv3d_variant variant;
  std::int32_t batch;
  three_numbers input;
  std::int32_t channels;
  std::int32_t filters;
  three_numbers kernel;
  three_numbers strides;
  three_numbers dilation;
  padding_kind padding;
  activation_kind activation;
  std::int32_t has_bias;
  std::int32_t input_in_one_row;  ///< its positions are not padded one by one

  constexpr window_placing planes() const {
    return {input.planes, kernel.planes, strides.planes, padding, dilation.planes};
  }

  constexpr window_placing rows() const {
    return {input.rows, kernel.rows, strides.rows, padding, dilation.rows};
  }

  constexpr window_placing columns() const {
    return {input.columns, kernel.columns, strides.columns, padding, dilation.columns};
  }

  constexpr three_numbers output() const {
    return {planes().outputs, rows().outputs, columns().outputs};
  }
};

namespace conv3d_rules {

/// " 3" or "{1, 3, 3}"
constexpr label numbers_of(const three_numbers& given) {
  label words;
  return words << given.planes << ", " << given.rows << ", " << given.columns;
}

constexpr void add_option(label& words, std::string_view name, const three_numbers& given) {
  if (!given.all_ones()) {
    words << ", " << name << "<";
    if (given.equal()) {
      words << given.planes << ">";
    } else {
      words << numbers_of(given).view() << ">";
    }
  }
}

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<conv3d_options>();
  label words = "Conv3D<";
  words << options.filters << ", ";
  if (options.kernel.equal()) {
    words << options.kernel.planes;
  } else {
    words << "kernel_volume{" << numbers_of(options.kernel).view() << "}";
  }
  add_option(words, "strides", options.strides);
  add_option(words, "dilation_rate", options.dilation);
  if (options.padding != padding_kind::valid) {
    words << ", " << ipu_dsl::name_of(options.padding);
  }
  if (options.activation != activation_kind::linear) {
    words << ", " << ipu_dsl::name_of(options.activation);
  }
  if (options.has_bias == 0) {
    words << ", use_bias<false>";
  }
  return words << ">";
}

constexpr conv3d_call placed(const conv3d_options& options, const shape& input,
                             std::int32_t batch) {
  return {.variant = conv3d_variant::forward,
          .batch = batch,
          .input = {input[0], input[1], input[2]},
          .channels = input[3],
          .filters = options.filters,
          .kernel = options.kernel,
          .strides = options.strides,
          .dilation = options.dilation,
          .padding = options.padding,
          .activation = fused_activation(options.activation),
          .has_bias = options.has_bias,
          .input_in_one_row = 0};
}

constexpr problem check_numbers(const conv3d_options& options) {
  if (options.filters <= 0) {
    return refuse("at least 1 filter", label() << options.filters);
  }
  if (options.kernel.below(1)) {
    return refuse("a kernel of at least 1 plane, 1 row and 1 column", numbers_of(options.kernel));
  }
  if (options.strides.below(1)) {
    return refuse("strides of at least 1", numbers_of(options.strides));
  }
  if (options.dilation.below(1)) {
    return refuse("a dilation_rate of at least 1", numbers_of(options.dilation));
  }
  if (!options.strides.all_ones() && !options.dilation.all_ones()) {
    return refuse("strides of 1 beside a dilation_rate",
                  label("strides of ")
                      << numbers_of(options.strides).view() << " and a dilation_rate of "
                      << numbers_of(options.dilation).view(),
                  "Keras refuses both at once as well");
  }
  return {};
}

constexpr problem find_fault(const conv3d_options& options, const shape& input) {
  const problem found = check_numbers(options);
  if (found.found()) {
    return found;
  }
  if (options.padding == padding_kind::causal) {
    return refuse("valid_padding or same_padding", "causal_padding", "a Conv1D takes it");
  }
  if (input.rank != 4) {
    return refuse("a volume (planes, rows, columns, channels)", ipu_dsl::describe(input),
                  input.rank == 3 ? "a Conv2D takes an image" : "");
  }
  const three_numbers reach = {(options.kernel.planes - 1) * options.dilation.planes + 1,
                               (options.kernel.rows - 1) * options.dilation.rows + 1,
                               (options.kernel.columns - 1) * options.dilation.columns + 1};
  const bool larger = reach.planes > input[0] || reach.rows > input[1] || reach.columns > input[2];
  if (larger && options.padding == padding_kind::valid) {
    label got;
    got << options.kernel.planes << " x " << options.kernel.rows << " x " << options.kernel.columns;
    if (options.dilation.planes > 1 || options.dilation.rows > 1 || options.dilation.columns > 1) {
      got << " dilated to " << reach.planes << " x " << reach.rows << " x " << reach.columns;
    }
    return refuse("a kernel within the volume", got << " on " << ipu_dsl::describe(input),
                  "same_padding fills the volume up with zeros");
  }
  return {};
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<conv3d_options>();
  const shape input = draft.input(0);
  const problem wrong = find_fault(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const three_numbers& kernel = options.kernel;
  const three_numbers output = placed(options, input, 1).output();
  draft.parameter("kernel", {kernel.planes, kernel.rows, kernel.columns, input[3], options.filters},
                  draft.start(0), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.filters}, draft.start(1), storage::panel_bias);
  }
  draft.output({output.planes, output.rows, output.columns, options.filters});
  return {};
}

constexpr conv3d_call key_of(const emitter& emit, conv3d_variant variant) {
  conv3d_call made = placed(emit.options<conv3d_options>(), emit.input_shape(0), emit.batch());
  made.variant = variant;
  made.input_in_one_row = emit.input_value(0).lies == storage::rows ? 1 : 0;
  return made;
}

/// The axes of a place in a volume, or of a tap in the kernel.
struct volume_axes {
  axis_id plane;
  axis_id row;
  axis_id column;
};

constexpr volume_axes over(call_draft& call, const three_numbers& extents) {
  const axis_id plane = call.over(extents.planes);
  const auto [row, column] = call.over(extents.rows, extents.columns);
  return {plane, row, column};
}

constexpr volume_axes all(call_draft& call, const three_numbers& extents) {
  const axis_id plane = call.all(extents.planes);
  const axis_id row = call.all(extents.rows);
  return {plane, row, call.all(extents.columns)};
}

struct volume_reach {
  reach plane;
  reach row;
  reach column;
};

/// What a place of the kernel sees at a tap.
constexpr volume_reach seen(const conv3d_call& key, const volume_axes& at, const volume_axes& tap) {
  return {
      window(at.plane, tap.plane, key.strides.planes, key.dilation.planes, key.planes().padding),
      window(at.row, tap.row, key.strides.rows, key.dilation.rows, key.rows().padding),
      window(at.column, tap.column, key.strides.columns, key.dilation.columns,
             key.columns().padding)};
}

/// The places of the kernel that see a place of the volume at a tap.
constexpr volume_reach seen_by(const conv3d_call& key, const volume_axes& at,
                               const volume_axes& tap) {
  return {window_over(at.plane, tap.plane, key.strides.planes, key.dilation.planes,
                      key.planes().padding),
          window_over(at.row, tap.row, key.strides.rows, key.dilation.rows, key.rows().padding),
          window_over(at.column, tap.column, key.strides.columns, key.dilation.columns,
                      key.columns().padding)};
}

constexpr void forward(emitter& emit) {
  const conv3d_call key = key_of(emit, conv3d_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const volume_axes at = over(call, key.output());
  const axis_id filter = call.over(key.filters);
  const volume_axes tap = all(call, key.kernel);
  const axis_id channel = call.all(key.channels);
  const volume_reach of_input = seen(key, at, tap);
  call.scalar(emit.options<conv3d_options>().alpha)
      .writes(emit.output_value(0), {sample, at.plane, at.row, at.column, filter})
      .reads(emit.input_value(0), {sample, of_input.plane, of_input.row, of_input.column, channel})
      .reads(emit.parameter_value(0), {tap.plane, tap.row, tap.column, channel, filter});
  if (key.has_bias != 0) {
    call.reads(emit.parameter_value(1), {filter});
  }
}

/// The gradient of the output before the activation.
constexpr buffer_ref pre_activation_gradient(const emitter& emit) {
  return fused_activation(emit.options<conv3d_options>().activation) == activation_kind::linear
             ? emit.output_gradient(0)
             : emit.scratch(convolution_rules::masked_tag, emit.output_shape(0),
                            storage::positions);
}

/// What the activation does to the gradient is a call of its family.
constexpr void mask_gradient(emitter& emit) {
  const auto options = emit.options<conv3d_options>();
  if (fused_activation(options.activation) == activation_kind::linear) {
    return;
  }
  const std::int32_t positions = positions_of(emit.output_shape(0));
  const activation_call key = {.variant = activation_variant::gradient,
                               .kind = fused_activation(options.activation),
                               .rows = emit.batch() * positions,
                               .units = options.filters};
  call_draft call = emit.call_of(activation_family, key);
  const axis_id sample = call.over(emit.batch());
  const auto [position, filter] = call.over(positions, options.filters);
  call.scalar(options.alpha)
      .writes(by_position(pre_activation_gradient(emit)), {sample, position, filter})
      .reads(by_position(emit.output_gradient(0)), {sample, position, filter})
      .reads(by_position(emit.output_value(0)), {sample, position, filter});
}

/// The kernel with the weights of each tap transposed, for a product that sums over filters.
constexpr buffer_ref transpose_kernel(emitter& emit) {
  const conv3d_call key = key_of(emit, conv3d_variant::transposed_kernel);
  const std::int32_t taps = key.kernel.product();
  buffer_ref made = emit.scratch(convolution_rules::transposed_tag,
                                 {taps, key.filters, key.channels}, storage::panels);
  made.samples = 0;
  call_draft call = emit.call(key);
  const axis_id tap = call.over(taps);
  const auto [channel, filter] = call.over(key.channels, key.filters);
  call.writes(made, {tap, filter, channel})
      .reads(emit.parameter_value(0).as({taps, key.channels, key.filters}), {tap, channel, filter});
  return made.as(
      {key.kernel.planes, key.kernel.rows, key.kernel.columns, key.filters, key.channels});
}

constexpr void input_gradient(emitter& emit) {
  mask_gradient(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const buffer_ref transposed = transpose_kernel(emit);
  const buffer_ref made = convolution_rules::pixels_written(emit, emit.input_shape(0));
  const conv3d_call key = key_of(emit, conv3d_variant::input_gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const volume_axes at = over(call, key.input);
  const axis_id channel = call.over(key.channels);
  const volume_axes tap = all(call, key.kernel);
  const axis_id filter = call.all(key.filters);
  const volume_reach of_output = seen_by(key, at, tap);
  call.writes(made, {sample, at.plane, at.row, at.column, channel})
      .reads(pre_activation_gradient(emit),
             {sample, of_output.plane, of_output.row, of_output.column, filter})
      .reads(transposed, {tap.plane, tap.row, tap.column, filter, channel})
      .costs(std::int64_t{key.batch} * key.output().product() * key.filters * key.kernel.product() *
             key.channels);
  convolution_rules::finish_pixels(emit, made);
}

/// The gradients of kernel and bias, from the same operands.
constexpr void weight_gradient(emitter& emit) {
  const conv3d_call key = key_of(emit, conv3d_variant::weight_gradient);
  const family* const ending = emit.fused_update();
  const buffer_ref d = pre_activation_gradient(emit);
  call_draft call = emit.call(key);
  call.ends_with(ending);
  const volume_axes tap = over(call, key.kernel);
  const auto [channel, filter] = call.over(key.channels, key.filters);
  const axis_id sample = call.all(key.batch);
  const volume_axes at = all(call, key.output());
  call.updates(emit.accumulator(0), {tap.plane, tap.row, tap.column, channel, filter});
  axis_id filter_of_bias;
  axis_id sample_of_bias;
  axis_id position_of_bias;
  const std::int32_t positions = key.output().product();
  if (key.has_bias != 0) {
    call.beside();
    filter_of_bias = call.over(key.filters);
    sample_of_bias = call.all(key.batch);
    position_of_bias = call.all(positions);
    call.updates(emit.accumulator(1), {filter_of_bias});
  }
  update_parameter(emit, call, ending, 0, {tap.plane, tap.row, tap.column, channel, filter});
  if (key.has_bias != 0) {
    update_parameter(emit, call, ending, 1, {filter_of_bias});
  }
  const volume_reach of_input = seen(key, at, tap);
  call.reads(emit.input_value(0), {sample, of_input.plane, of_input.row, of_input.column, channel})
      .reads(d, {sample, at.plane, at.row, at.column, filter});
  if (key.has_bias != 0) {
    call.reads(by_position(d), {sample_of_bias, position_of_bias, filter_of_bias});
  }
}

}  // namespace conv3d_rules

/// Reads volumes however they lie, and writes positions that are padded one by one.
inline constexpr family conv3d_family{.name = "Conv3D",
                                      .describe = conv3d_rules::describe,
                                      .shapes = conv3d_rules::shapes,
                                      .forward = conv3d_rules::forward,
                                      .input_gradient = conv3d_rules::input_gradient,
                                      .weight_gradient = conv3d_rules::weight_gradient,
                                      .activation = activation_in<conv3d_options>,
                                      .folds_channels = folds_with_bias<conv3d_options>,
                                      .reads = {storage::positions, storage::rows},
                                      .writes = {storage::positions},
                                      .updates_with_gradient = true};

inline constexpr problem kernel_of_image =
    refuse("a whole number or kernel_volume{planes, rows, columns} as kernel", "a kernel_size",
           "a volume has planes, rows and columns");

/// Planes, rows and columns of a kernel, or what is wrong with what stands in their place.
struct read_volume {
  three_numbers numbers;
  const problem* fault = nullptr;

  template <typename T>
  constexpr explicit read_volume(const T& given) {
    const whole_number read = read_whole<"kernel">(given);
    numbers = {read.value, read.value, read.value};
    fault = read.fault;
  }

  constexpr explicit read_volume(const kernel_volume& given)
      : numbers{given.planes, given.rows, given.columns} {}

  constexpr explicit read_volume(const kernel_size& given)
      : numbers{1, given.rows, given.columns}, fault(&kernel_of_image) {}
};

inline constexpr problem two_numbers_of_volume =
    refuse("one or three numbers in strides<...> and dilation_rate<...>", "two",
           "a volume has planes, rows and columns");

/// What the options of a Conv3D say.
template <typename... Options>
struct conv3d_reading {
  using common = convolution_reading<Options...>;
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&strides_key,
                                                   &padding_key,
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

  static constexpr three_numbers numbers_of(const option_key& key) {
    const std::int32_t first = given.integer(key, 1);
    const std::int32_t third = given.third(key);
    return {first, common::second(key), third > 0 ? third : first};
  }

  static constexpr element with_sizes(const whole_number& filters, const read_volume& kernel) {
    if (!is_null(filters.fault) || !is_null(kernel.fault)) {
      return unfit_layer("Conv3D<filters, kernel>",
                         !is_null(filters.fault) ? *filters.fault : *kernel.fault);
    }
    if (given.third(strides_key) == two_numbers || given.third(dilation_rate_key) == two_numbers) {
      return unfit_layer("Conv3D<filters, kernel>", two_numbers_of_volume);
    }
    element made = common::described(conv3d_family, common::options);
    made.options = attributes::of(conv3d_options{.filters = filters.value,
                                                 .kernel = kernel.numbers,
                                                 .strides = numbers_of(strides_key),
                                                 .dilation = numbers_of(dilation_rate_key),
                                                 .padding = common::options.padding,
                                                 .activation = common::options.activation,
                                                 .alpha = common::options.alpha,
                                                 .has_bias = common::options.has_bias});
    made.fault = &fault;
    return made;
  }
};

/// activation(volume * kernel + bias), the volume being (planes, rows, columns, channels): kernel
/// [planes, rows, columns, channels, filters], bias [filters]. `Kernel` is a number for a cube, or
/// `kernel_volume{1, 3, 3}`. Options as `Conv2D` has them but for `groups<...>`, `strides<...>` and
/// `dilation_rate<...>` with one number or three.
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct Conv3D {
  static constexpr element description =
      conv3d_reading<Options...>::with_sizes(read_whole<"filters">(Filters), read_volume(Kernel));
};

}  // namespace ipu_dsl
