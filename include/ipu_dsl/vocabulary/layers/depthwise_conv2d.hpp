// SPDX-License-Identifier: MIT
// DepthwiseConv2D: each channel of an image with kernels of its own.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl {

inline constexpr option_key depth_multiplier_key{"depth_multiplier"};
inline constexpr option_key depthwise_init_key{"depthwise_init"};
inline constexpr option_key depthwise_regularizer_key{.name = "depthwise_regularizer",
                                                      .usual = "kernel_regularizer"};

/// How many filters each channel has.
template <auto Count>
struct depth_multiplier {
  static constexpr option as_option = whole_option(&depth_multiplier_key, Count);
};

/// How the kernel of a depthwise convolution starts, as `init` says it of others.
template <typename Initializer, typename... Options>
struct depthwise_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&depthwise_init_key);
};

/// The penalty of the kernel of a depthwise convolution: `l1<...>`, `l2<...>`, `l1_l2<...>`.
template <typename Regularizer>
struct depthwise_regularizer {
  static constexpr option as_option = penalty_option<Regularizer>(&depthwise_regularizer_key);
};

namespace depthwise_rules {

/// Channels are groups; a kernel is one row of filters behind the other.
constexpr convolution placed(const convolution_options& options, const shape& image,
                             std::int32_t batch) {
  convolution_options chosen = options;
  chosen.filters = image[2] * options.depth_multiplier;
  convolution made = convolution_rules::placed(chosen, image, batch);
  made.key.groups = image[2];
  made.key.plain_kernel = 1;
  return made;
}

constexpr problem find_fault(const convolution_options& options, const shape& input) {
  if (options.depth_multiplier <= 0) {
    return refuse("at least 1 filter of each channel in depth_multiplier<...>",
                  label() << options.depth_multiplier);
  }
  return convolution_rules::check_windows(options, input);
}

/// (rows, columns, channels, filters of each)
constexpr shape kernel_of(const convolution_options& options, const shape& input) {
  return {options.kernel_rows, options.kernel_columns, input[2], options.depth_multiplier};
}

constexpr label describe(const family& self, const attributes& attributes) {
  const auto options = attributes.as<convolution_options>();
  label words = self.name;
  return words << "<" << convolution_rules::describe_options(options).view() << ">";
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<convolution_options>();
  const shape input = draft.input(0);
  const problem wrong = find_fault(options, input);
  if (wrong.found()) {
    return wrong;
  }
  const conv2d_call made = placed(options, input, 1).key;
  draft.parameter("depthwise_kernel", kernel_of(options, input), draft.start(0), storage::plain);
  if (options.has_bias != 0) {
    draft.parameter("bias", {made.filters}, draft.start(1), storage::panel_bias);
  }
  draft.output({made.output_rows, made.output_columns, made.filters});
  return {};
}

constexpr convolution convolution_of(const emitter& emit) {
  return placed(emit.options<convolution_options>(), emit.input_shape(0), emit.batch());
}

constexpr void forward(emitter& emit) {
  convolution_rules::forward_of(emit, convolution_of(emit));
}

constexpr void input_gradient(emitter& emit) {
  convolution_rules::masked_input_gradient(emit, convolution_of(emit));
}

constexpr void weight_gradient(emitter& emit) {
  convolution_rules::masked_weight_gradient(emit, convolution_of(emit));
}

}  // namespace depthwise_rules

/// Reads and writes pixels. Its calls are those of a Conv2D whose groups are single channels.
inline constexpr family depthwise_conv2d_family{
    .name = "DepthwiseConv2D",
    .describe = depthwise_rules::describe,
    .shapes = depthwise_rules::shapes,
    .forward = depthwise_rules::forward,
    .input_gradient = depthwise_rules::input_gradient,
    .weight_gradient = depthwise_rules::weight_gradient,
    .activation = activation_in<convolution_options>,
    .applies_activation = true,
    .takes_gradient_put_through = true,
    .folds_channels = folds_with_bias<convolution_options>,
    .reads = {storage::positions},
    .writes = {storage::positions}};

/// The penalties that the options of a layer with a depthwise kernel ask for, but null if there are
/// none.
template <typename... Options>
struct depthwise_penalties {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;

  static constexpr weight_rules rules = {
      {{"depthwise_kernel", rules_of(given, &depthwise_regularizer_key, nullptr)},
       {"bias", rules_of(given, &bias_regularizer_key, &bias_constraint_key)}},
      rules_of(given, &activity_regularizer_key, nullptr)};

  static constexpr const weight_rules* find() {
    bool any = false;
    for (const option_key* const key : {&depthwise_regularizer_key, &bias_regularizer_key,
                                        &bias_constraint_key, &activity_regularizer_key}) {
      any = any || given.given(*key);
    }
    return any ? &rules : nullptr;
  }
};

/// What the options of a DepthwiseConv2D say.
template <typename... Options>
struct depthwise_reading {
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
                                                   &bias_init_key,
                                                   &depthwise_regularizer_key,
                                                   &bias_regularizer_key,
                                                   &bias_constraint_key,
                                                   &activity_regularizer_key};
  static constexpr problem fault = find_weights_fault(given, accepted);

  static constexpr initializer starts[] = {
      start_of(given, depthwise_init_key, glorot_uniform::start),
      start_of(given, bias_init_key, zeros::start)};

  static constexpr element with_kernel(const read_kernel& kernel) {
    const problem* const unread = first_fault({kernel.rows, kernel.columns});
    if (!is_null(unread)) {
      return unfit_layer("DepthwiseConv2D<kernel>", *unread);
    }
    if (common::has_third) {
      return unfit_layer("DepthwiseConv2D<kernel>", three_numbers_of_image);
    }
    convolution_options chosen = common::options;
    chosen.filters = 0;
    chosen.depth_multiplier = given.integer(depth_multiplier_key, 1);
    chosen.kernel_rows = kernel.rows.value;
    chosen.kernel_columns = kernel.columns.value;
    element made = common::described(depthwise_conv2d_family, chosen);
    made.starts = starts;
    made.fault = &fault;
    made.weights = depthwise_penalties<Options...>::find();
    return made;
  }
};

/// activation(each channel of an image * its kernels + bias), the image being (rows, columns,
/// channels): depthwise_kernel [rows, columns, channels, depth_multiplier], bias [channels x
/// depth_multiplier]. `Kernel` is a number for a square one, or `kernel_size{3, 5}`. Options in any
/// order, with Keras's defaults: `strides<...>` (1), `same_padding` (`valid_padding`),
/// `depth_multiplier<...>` (1), `dilation_rate<...>` (1), an activation (linear), `alpha<...>` of
/// it, `use_bias<...>` (true), `depthwise_init<...>` (glorot_uniform), `bias_init<...>` (zeros);
/// `depthwise_regularizer<...>`, `bias_regularizer<...>`, `bias_constraint<...>`,
/// `activity_regularizer<...>` (none).
template <auto Kernel = no_number{}, typename... Options>
struct DepthwiseConv2D {
  static constexpr element description =
      depthwise_reading<Options...>::with_kernel(read_kernel(Kernel));
};

}  // namespace ipu_dsl
