// SPDX-License-Identifier: MIT
// LocallyConnected1D: activation(windows of a sequence * a kernel for each of them + bias).
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl {

enum class locally_connected1d_variant : std::int32_t {
  forward,         ///< writes y, reads x, kernel[, bias]
  input_gradient,  ///< writes the input's gradient, reads d, the transposed kernel
  /// Adds to the accumulators of kernel[, bias], reads x, d; an update is as Dense's.
  weight_gradient
};

struct locally_connected1d_call {
  locally_connected1d_variant variant;
  std::int32_t batch;
  std::int32_t steps;  ///< of the input
  std::int32_t channels;
  std::int32_t filters;
  std::int32_t taps;  ///< steps of a window
  std::int32_t stride;
  std::int32_t outputs;  ///< steps of the output: windows
  activation_kind activation;
  std::int32_t has_bias;

  /// The kernel as the rules see it: what window, which step of it, channel, filter.
  constexpr shape kernel_extents() const { return {outputs, taps, channels, filters}; }
};

namespace locally_connected1d_rules {

inline constexpr const char* hint_of_padding =
    "ZeroPadding1D<...> in front of the layer fills the sequence up with zeros";

constexpr problem find_fault(const convolution_options& options, const shape& input) {
  using namespace convolution_rules;
  if (options.filters <= 0) {
    return refuse_filters(options);
  }
  problem found = check_kernel(options);
  if (!found.found()) {
    found = check_steps(options);
  }
  if (found.found()) {
    return found;
  }
  if (options.padding != padding_kind::valid) {
    return refuse("valid_padding", name_of(options.padding), hint_of_padding);
  }
  if (input.rank != 2) {
    return refuse_rank(options.axes, input);
  }
  if (options.kernel_columns > input[0]) {
    return refuse("a kernel within the sequence",
                  label() << options.kernel_columns << " on " << ipu_dsl::describe(input),
                  hint_of_padding);
  }
  return {};
}

/// On sequences of this shape, a micro-batch of `batch` of them.
constexpr locally_connected1d_call placed(const convolution_options& options, const shape& input,
                                          std::int32_t batch) {
  const window_placing steps(input[0], options.kernel_columns, options.stride_columns,
                             padding_kind::valid);
  return {.variant = locally_connected1d_variant::forward,
          .batch = batch,
          .steps = input[0],
          .channels = input[1],
          .filters = options.filters,
          .taps = options.kernel_columns,
          .stride = options.stride_columns,
          .outputs = steps.outputs,
          .activation = fused_activation(options.activation),
          .has_bias = options.has_bias};
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<convolution_options>();
  const shape input = draft.input(0);
  const problem wrong = find_fault(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const locally_connected1d_call made = placed(options, input, 1);
  draft.parameter("kernel", {made.outputs, made.taps * made.channels, made.filters}, draft.start(0),
                  storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {made.outputs, made.filters}, draft.start(1), storage::panels);
  }
  draft.output({made.outputs, made.filters});
  return {};
}

constexpr locally_connected1d_call key_of(const emitter& emit,
                                          locally_connected1d_variant variant) {
  locally_connected1d_call made =
      placed(emit.options<convolution_options>(), emit.input_shape(0), emit.batch());
  made.variant = variant;
  return made;
}

/// Tags of scratch.
enum scratch_tag : std::int32_t { masked_tag, transposed_tag };

/// What the gradients have of a convolution: the mask of the activation, and the transpose of a
/// kernel that has a row of taps for each window.
constexpr convolution convolution_of(const emitter& emit) {
  const locally_connected1d_call key = key_of(emit, locally_connected1d_variant::forward);
  return {.code = &convolution_code(),
          .key = {.variant = conv2d_variant::forward,
                  .batch = key.batch,
                  .rows = 1,
                  .columns = key.steps,
                  .channels = key.channels,
                  .filters = key.filters,
                  .kernel_rows = key.outputs,
                  .kernel_columns = key.taps,
                  .stride_rows = 1,
                  .stride_columns = key.stride,
                  .padding_rows = 0,
                  .padding_columns = 0,
                  .output_rows = 1,
                  .output_columns = key.outputs,
                  .activation = key.activation,
                  .has_bias = key.has_bias,
                  .input_in_one_row = 0},
          .alpha = emit.options<convolution_options>().alpha};
}

/// The gradient before the activation.
constexpr buffer_ref masked_gradient(const emitter& emit, const convolution& made) {
  return made.masked(emit, masked_tag, emit.output_gradient(0), made.output_extents());
}

constexpr void forward(emitter& emit) {
  const locally_connected1d_call key = key_of(emit, locally_connected1d_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [output, filter] = call.over(key.outputs, key.filters);
  const axis_id tap = call.all(key.taps);
  const axis_id channel = call.all(key.channels);
  call.scalar(emit.options<convolution_options>().alpha)
      .writes(emit.output_value(0), {sample, output, filter})
      .reads(emit.input_value(0), {sample, window(output, tap, key.stride, 1, 0), channel})
      .reads(emit.parameter_value(0).as(key.kernel_extents()), {output, tap, channel, filter});
  if (key.has_bias != 0) {
    call.reads(emit.parameter_value(1), {output, filter});
  }
}

/// Of the gradient d before the activation: a sum over the windows that a step stands in.
constexpr void spread_gradient(emitter& emit, const buffer_ref& made, const buffer_ref& d,
                               const buffer_ref& transposed) {
  const locally_connected1d_call key = key_of(emit, locally_connected1d_variant::input_gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [step, channel] = call.over(key.steps, key.channels);
  const axis_id tap = call.all(key.taps);
  const axis_id filter = call.all(key.filters);
  const reach output = window_over(step, tap, key.stride, 1, 0);
  call.writes(made.as(emit.input_shape(0)), {sample, step, channel})
      .reads(d.as(emit.output_shape(0)), {sample, output, filter})
      .reads(transposed, {output, tap, filter, channel})
      .costs(std::int64_t{key.batch} * key.kernel_extents().elements());
}

constexpr void input_gradient(emitter& emit) {
  const convolution made = convolution_of(emit);
  const buffer_ref d = masked_gradient(emit, made);
  made.mask_gradient(emit, d, emit.output_gradient(0), emit.output_value(0));
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const buffer_ref transposed = made.transpose_kernel(emit, transposed_tag);
  const buffer_ref written = convolution_rules::pixels_written(emit, emit.input_shape(0));
  spread_gradient(emit, written, d, transposed);
  convolution_rules::finish_pixels(emit, written);
}

/// The gradients of kernel and bias, from the same operands.
constexpr void weight_gradient(emitter& emit) {
  const locally_connected1d_call key = key_of(emit, locally_connected1d_variant::weight_gradient);
  const family* const ending = emit.fused_update();
  call_draft call = emit.call(key);
  call.ends_with(ending);
  const auto [output, tap] = call.over(key.outputs, key.taps);
  const auto [channel, filter] = call.over(key.channels, key.filters);
  const axis_id sample = call.all(key.batch);
  const shape extents = key.kernel_extents();
  call.updates(emit.accumulator(0).as(extents), {output, tap, channel, filter});
  axis_id output_of_bias;
  axis_id filter_of_bias;
  axis_id sample_of_bias;
  if (key.has_bias != 0) {
    call.beside();
    output_of_bias = call.over(key.outputs);
    filter_of_bias = call.over(key.filters);
    sample_of_bias = call.all(key.batch);
    call.updates(emit.accumulator(1), {output_of_bias, filter_of_bias});
  }
  update_parameter(emit, call, ending, 0, {output, tap, channel, filter}, extents);
  if (key.has_bias != 0) {
    update_parameter(emit, call, ending, 1, {output_of_bias, filter_of_bias});
  }
  const buffer_ref d = masked_gradient(emit, convolution_of(emit)).as(emit.output_shape(0));
  call.reads(emit.input_value(0), {sample, window(output, tap, key.stride, 1, 0), channel})
      .reads(d, {sample, output, filter});
  if (key.has_bias != 0) {
    call.reads(d, {sample_of_bias, output_of_bias, filter_of_bias});
  }
}

}  // namespace locally_connected1d_rules

/// Reads a sequence in one row, where each window is one stretch of numbers, and writes steps.
inline constexpr family locally_connected1d_family{
    .name = "LocallyConnected1D",
    .describe = convolution_rules::describe,
    .shapes = locally_connected1d_rules::shapes,
    .forward = locally_connected1d_rules::forward,
    .input_gradient = locally_connected1d_rules::input_gradient,
    .weight_gradient = locally_connected1d_rules::weight_gradient,
    .activation = activation_in<convolution_options>,
    .writes = {storage::positions},
    .updates_with_gradient = true};

/// What the options of a LocallyConnected1D say.
template <typename... Options>
struct locally_connected1d_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {
      &strides_key,          &padding_key,
      &activation_key,       &alpha_key,
      &use_bias_key,         &init_key,
      &bias_init_key,        &kernel_regularizer_key,
      &bias_regularizer_key, &kernel_constraint_key,
      &bias_constraint_key,  &activity_regularizer_key};
  static constexpr problem fault = find_weights_fault(given, accepted);

  static constexpr element of(const whole_number& filters, const whole_number& kernel) {
    element made = convolution_reading<Options...>::of_sequences(
        locally_connected1d_family, "LocallyConnected1D<filters, kernel>", filters, kernel);
    if (made.kind == element_kind::layer) {
      made.fault = &fault;
    }
    return made;
  }
};

/// activation(windows of a sequence * kernel + bias), where each window has weights of its own; the
/// sequence is (steps, channels). kernel [windows, steps of a window x channels, filters], bias
/// [windows, filters]. Options in any order, with Keras's defaults: `strides<...>` (1), an
/// activation (linear), `alpha<...>` of it, `use_bias<...>` (true), `init<...>` (glorot_uniform),
/// `bias_init<...>` (zeros); `kernel_regularizer<...>`, `bias_regularizer<...>`,
/// `kernel_constraint<...>`, `bias_constraint<...>`, `activity_regularizer<...>` (none). Padding
/// but `valid_padding` is refused.
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct LocallyConnected1D {
  static constexpr element description = locally_connected1d_reading<Options...>::of(
      read_whole<"filters">(Filters), read_whole<"kernel">(Kernel));
};

}  // namespace ipu_dsl
