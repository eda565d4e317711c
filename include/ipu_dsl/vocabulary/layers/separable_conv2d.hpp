// SPDX-License-Identifier: MIT
// SeparableConv2D: a depthwise convolution, and a product at every pixel of what it makes.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/depthwise_conv2d.hpp>

namespace ipu_dsl {

inline constexpr option_key pointwise_init_key{"pointwise_init"};
inline constexpr option_key pointwise_regularizer_key{.name = "pointwise_regularizer",
                                                      .usual = "kernel_regularizer"};
inline constexpr option_key pointwise_constraint_key{.name = "pointwise_constraint",
                                                     .usual = "kernel_constraint"};

/// How the kernel of one tap of a SeparableConv2D starts, as `init` says it of others.
template <typename Initializer, typename... Options>
struct pointwise_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&pointwise_init_key);
};

/// The penalty of the kernel of one tap.
template <typename Regularizer>
struct pointwise_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&pointwise_regularizer_key);
};

/// The constraint of the kernel of one tap, whose norms are those of its filters.
template <typename Constraint>
struct pointwise_constraint {
  static constexpr option as_option = constraint_option<Constraint>(&pointwise_constraint_key);
};

namespace separable_rules {

/// The two convolutions of a node.
struct convolutions {
  convolution depthwise;  ///< without bias and activation
  convolution pointwise;  ///< of what the first makes

  constexpr shape between() const { return depthwise.output_extents(); }

  /// Whether one call makes both, some lines of one after the other: where each filter reads a
  /// channel of its own, lines are so short that some of them find room on a stack, and so much
  /// lies between the two that it would leave the nearest cache.
  constexpr bool go_together() const {
    constexpr std::int32_t lines_of_tile = 4;
    constexpr std::int64_t most_on_stack = 24 * 1024;
    constexpr std::int64_t least = 16 * 1024;
    const conv2d_call& key = depthwise.key;
    const std::int32_t vectors = (key.channels + widest_vector - 1) / widest_vector;
    const std::int64_t line = std::int64_t{key.output_columns} * vectors * widest_vector;
    return key.one_to_one() && key.input_in_one_row == 0 && lines_of_tile * line <= most_on_stack &&
           key.batch * key.output_rows * line >= least;
  }

  /// Of that call.
  constexpr conv2d_call key_of_both() const {
    conv2d_call made = depthwise.key;
    made.variant = conv2d_variant::separable_forward;
    made.filters = pointwise.key.filters;
    made.activation = pointwise.key.activation;
    made.has_bias = pointwise.key.has_bias;
    return made;
  }
};

constexpr convolutions placed(const convolution_options& options, const shape& image,
                              std::int32_t batch) {
  convolution_options of_channels = options;
  of_channels.activation = activation_kind::linear;
  of_channels.has_bias = 0;
  const convolution depthwise = depthwise_rules::placed(of_channels, image, batch);
  const convolution_options of_pixels{.filters = options.filters,
                                      .activation = options.activation,
                                      .alpha = options.alpha,
                                      .has_bias = options.has_bias};
  convolution pointwise = convolution_rules::placed(of_pixels, depthwise.output_extents(), batch);
  pointwise.kernel = 1;
  pointwise.bias = 2;
  return {depthwise, pointwise};
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<convolution_options>();
  const shape input = draft.input(0);
  if (options.filters <= 0) {
    return convolution_rules::refuse_filters(options);
  }
  const problem wrong = depthwise_rules::find_fault(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const convolution made = placed(options, input, 1).pointwise;
  draft.parameter("depthwise_kernel", depthwise_rules::kernel_of(options, input), draft.start(0),
                  storage::plain);
  draft.parameter("pointwise_kernel", made.kernel_extents(), draft.start(1), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.filters}, draft.start(2), storage::panel_bias);
  }
  draft.output(made.output_extents());
  return {};
}

constexpr convolutions convolutions_of(const emitter& emit) {
  return placed(emit.options<convolution_options>(), emit.input_shape(0), emit.batch());
}

/// What the depthwise convolution makes, in scratch.
constexpr buffer_ref make_between(emitter& emit, const convolutions& made, std::int32_t tag,
                                  const buffer_ref& image, std::int32_t packed) {
  const buffer_ref between = emit.scratch(tag, made.between(), storage::positions);
  made.depthwise.forward(emit, between, image, made.depthwise.kernel_read(emit, packed));
  return between;
}

/// Both convolutions in one call.
constexpr void forward_together(emitter& emit, const convolutions& made, const buffer_ref& image,
                                const buffer_ref& kernel) {
  const conv2d_call& key = made.depthwise.key;
  call_draft call = emit.call_of(*made.depthwise.code, made.key_of_both());
  const axis_id sample = call.over(key.batch);
  const auto [row, column, filter] =
      call.over(key.output_rows, key.output_columns, made.pointwise.key.filters);
  const axis_id tap_row = call.all(key.kernel_rows);
  const axis_id tap_column = call.all(key.kernel_columns);
  const axis_id channel = call.all(key.channels);
  const axis_id one = call.all(1);
  const axis_id another = call.all(1);
  const reach source_row =
      window(row, tap_row, key.stride_rows, key.dilation_rows, key.padding_rows);
  const reach source_column =
      window(column, tap_column, key.stride_columns, key.dilation_columns, key.padding_columns);
  call.scalar(made.pointwise.alpha)
      .writes(emit.output_value(0).as(made.pointwise.output_extents()),
              {sample, row, column, filter})
      .reads(image, {sample, source_row, source_column, one, channel})
      .reads(kernel, {tap_row, tap_column, one, channel})
      .reads(made.pointwise.kernel_value(emit), {one, another, channel, filter});
  if (made.pointwise.key.has_bias != 0) {
    call.reads(emit.parameter_value(made.pointwise.bias), {filter});
  }
  const std::int64_t pixels = std::int64_t{key.batch} * key.output_rows * key.output_columns;
  call.costs(pixels * key.channels * (made.depthwise.taps() + made.pointwise.key.filters));
}

constexpr void forward(emitter& emit) {
  using namespace convolution_rules;
  const convolutions made = convolutions_of(emit);
  const buffer_ref image = made.depthwise.image_read(emit, emit.input_value(0), forward_image_tag);
  if (made.go_together()) {
    forward_together(emit, made, image, made.depthwise.kernel_read(emit, packed_tag));
    return;
  }
  const buffer_ref between = make_between(emit, made, between_tag, image, packed_tag);
  made.pointwise.forward(emit, emit.output_value(0), between, made.pointwise.kernel_value(emit));
}

/// The gradient of what the depthwise convolution makes.
constexpr buffer_ref gradient_between(const emitter& emit, const convolutions& made) {
  return emit.scratch(convolution_rules::between_gradient_tag, made.between(), storage::positions);
}

constexpr void input_gradient(emitter& emit) {
  using namespace convolution_rules;
  const convolutions made = convolutions_of(emit);
  const buffer_ref d = made.pointwise.masked(emit, masked_tag, emit.output_gradient(0),
                                             made.pointwise.output_extents());
  made.pointwise.mask_gradient(emit, d, emit.output_gradient(0), emit.output_value(0));
  const buffer_ref transposed = made.pointwise.transpose_kernel(emit, pointwise_transposed_tag);
  const buffer_ref between = gradient_between(emit, made);
  made.pointwise.input_gradient(emit, between, d, transposed);
  input_gradient_of(emit, made.depthwise, between);
}

/// What lies between the two is computed once more, which costs a part of the product behind it,
/// and no memory from forward to backward.
constexpr void weight_gradient(emitter& emit) {
  using namespace convolution_rules;
  const convolutions made = convolutions_of(emit);
  const buffer_ref image = made.depthwise.image_read(emit, emit.input_value(0), backward_image_tag);
  const buffer_ref between = make_between(emit, made, between_again_tag, image, packed_again_tag);
  made.pointwise.weight_gradient(emit, between,
                                 made.pointwise.masked(emit, masked_tag, emit.output_gradient(0),
                                                       made.pointwise.output_extents()));
  made.depthwise.weight_gradient(emit, image, gradient_between(emit, made));
}

}  // namespace separable_rules

/// Reads and writes pixels. Its calls are those of Conv2D.
inline constexpr family separable_conv2d_family{.name = "SeparableConv2D",
                                                .describe = convolution_rules::describe,
                                                .shapes = separable_rules::shapes,
                                                .forward = separable_rules::forward,
                                                .input_gradient = separable_rules::input_gradient,
                                                .weight_gradient = separable_rules::weight_gradient,
                                                .activation = activation_in<convolution_options>,
                                                .reads = {storage::positions},
                                                .writes = {storage::positions}};

/// What the options of a SeparableConv2D say.
template <typename... Options>
struct separable_reading {
  using common = convolution_reading<Options...>;
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&strides_key,
                                                   &padding_key,
                                                   &depth_multiplier_key,
                                                   &dilation_rate_key,
                                                   &activation_key,
                                                   &alpha_key,
                                                   &use_bias_key,
                                                   &depthwise_init_key,
                                                   &pointwise_init_key,
                                                   &bias_init_key,
                                                   &depthwise_regularizer_key,
                                                   &pointwise_regularizer_key,
                                                   &bias_regularizer_key,
                                                   &pointwise_constraint_key,
                                                   &bias_constraint_key,
                                                   &activity_regularizer_key};
  static constexpr problem fault = find_weights_fault(given, accepted);

  static constexpr initializer starts[] = {
      start_of(given, depthwise_init_key, glorot_uniform::start),
      start_of(given, pointwise_init_key, glorot_uniform::start),
      start_of(given, bias_init_key, zeros::start)};

  static constexpr weight_rules rules = {
      {depthwise_penalties<Options...>::rules.entries[0],
       {"pointwise_kernel", rules_of(given, &pointwise_regularizer_key, &pointwise_constraint_key)},
       depthwise_penalties<Options...>::rules.entries[1]},
      rules_of(given, &activity_regularizer_key, nullptr)};

  static constexpr const weight_rules* find_rules() {
    const bool any = !is_null(depthwise_penalties<Options...>::find()) ||
                     given.given(pointwise_regularizer_key) ||
                     given.given(pointwise_constraint_key);
    return any ? &rules : nullptr;
  }

  static constexpr element with_sizes(const whole_number& filters, const read_kernel& kernel) {
    const problem* const unread = first_fault({filters, kernel.rows, kernel.columns});
    if (!is_null(unread)) {
      return unfit_layer("SeparableConv2D<filters, kernel>", *unread);
    }
    if (common::has_third) {
      return unfit_layer("SeparableConv2D<filters, kernel>", three_numbers_of_image);
    }
    convolution_options chosen = common::options;
    chosen.filters = filters.value;
    chosen.depth_multiplier = given.integer(depth_multiplier_key, 1);
    chosen.kernel_rows = kernel.rows.value;
    chosen.kernel_columns = kernel.columns.value;
    element made = common::described(separable_conv2d_family, chosen);
    made.starts = starts;
    made.fault = &fault;
    made.weights = find_rules();
    return made;
  }
};

/// activation((each channel of an image * its kernels) * pointwise kernel + bias), the image being
/// (rows, columns, channels): depthwise_kernel [rows, columns, channels, depth_multiplier],
/// pointwise_kernel [1, 1, channels x depth_multiplier, filters], bias [filters]. Options as
/// `DepthwiseConv2D` has them; also `pointwise_init<...>` (glorot_uniform),
/// `pointwise_regularizer<...>`, `pointwise_constraint<...>` (none).
template <auto Filters = no_number{}, auto Kernel = no_number{}, typename... Options>
struct SeparableConv2D {
  static constexpr element description = separable_reading<Options...>::with_sizes(
      read_whole<"filters">(Filters), read_kernel(Kernel));
};

}  // namespace ipu_dsl
