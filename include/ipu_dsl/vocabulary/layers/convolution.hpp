// SPDX-License-Identifier: MIT
// Convolutions of images and sequences: their options, and the calls that they are.
// Over 300 lines: one description of a convolution, and what each of its calls reads and writes.
#pragma once

#include <cstdint>

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
  std::int32_t depth_multiplier = 1;  ///< of a depthwise kernel: filters of each channel
  /// Of a transposed convolution: added to its output; -1 if that is as long as may be.
  std::int32_t output_padding_rows = -1;
  std::int32_t output_padding_columns = -1;
};

enum class conv2d_variant : std::int32_t {
  forward,            ///< writes y, reads x, kernel[, bias]
  transposed_kernel,  ///< writes for each tap the transpose of its weights, reads kernel
  /// Writes the input's gradient, reads d, the transposed kernel[, the input, where the gradient
  /// goes through the activation that made it: that of the call].
  input_gradient,
  /// Adds to the accumulators of kernel[, bias], reads x, d; an update is as Dense's.
  weight_gradient,
  // By lanes, where x and d below are what the first two of these write.
  spread_input,     ///< writes of every pixel what each filter reads, reads x
  spread_gradient,  ///< writes of every pixel what each channel's gradient reads, reads d
  packed_kernel,    ///< writes the kernel in panels, reads a plain one
  // Of a transposed convolution, whose output is the image.
  transposed_forward,  ///< writes the image, reads what a convolution writes, the transposed
                       ///< kernel[, bias of channels]
  bias_gradient,       ///< adds to the accumulator of that bias, reads the gradient of the image
  /// Writes y, reads x, the kernel of a depthwise convolution in panels, that of the product at
  /// every pixel behind it[, bias]: filters, activation and bias are those of the second.
  separable_forward
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
  std::int32_t groups = 1;
  std::int32_t plain_kernel = 0;  ///< one row behind the other, otherwise in panels

  /// Whether each group is a product of its own: its channels and its filters are whole vectors of
  /// every processor, since which calls a model has must not depend on the host.
  constexpr bool wide_groups() const {
    return groups > 1 && plain_kernel == 0 && depth() % widest_vector == 0 &&
           filters_of_group() % widest_vector == 0;
  }

  /// Whether each filter reads numbers of its own: those of its group.
  constexpr bool lanewise() const { return (groups > 1 && !wide_groups()) || plain_kernel != 0; }

  /// Whether the filters of a group read as many channels, which lie in the same lanes of every
  /// processor's vectors, since each has at least four.
  constexpr bool groups_in_lanes() const {
    return lanewise() && plain_kernel == 0 && input_in_one_row == 0 &&
           depth() == filters_of_group() && (depth() == 2 || depth() == 4);
  }

  /// Whether filters of groups read the image as it is.
  constexpr bool reads_by_group() const { return wide_groups() || groups_in_lanes(); }

  /// Whether they read what is laid out for each of them, unless that is the image itself.
  constexpr bool spreads() const { return lanewise() && !groups_in_lanes(); }

  /// How many channels a filter reads.
  constexpr std::int32_t depth() const { return channels / groups; }

  /// How many filters read a channel.
  constexpr std::int32_t filters_of_group() const { return filters / groups; }

  /// Whether each filter reads a channel and each channel is read by a filter.
  constexpr bool one_to_one() const { return depth() == 1 && filters_of_group() == 1; }
};

/// One convolution of a node. Images are (rows, columns, features), the kernel is (rows, columns,
/// channels of a group, filters); the buffers that are given hold these, whatever the node sees in
/// them.
struct convolution {
  const family* code = nullptr;  ///< Conv2D, whose calls all convolutions are
  conv2d_call key;               ///< of the forward call
  float alpha = 0;               ///< of the activation
  std::int32_t kernel = 0;       ///< its number among the node's parameters
  std::int32_t bias = 1;         ///< the same, if there is one

  constexpr shape input_extents() const { return {key.rows, key.columns, key.channels}; }

  constexpr shape output_extents() const {
    return {key.output_rows, key.output_columns, key.filters};
  }

  constexpr shape kernel_extents() const {
    return {key.kernel_rows, key.kernel_columns, key.depth(), key.filters};
  }

  constexpr std::int32_t taps() const { return key.kernel_rows * key.kernel_columns; }

  constexpr conv2d_call of_variant(conv2d_variant variant) const {
    conv2d_call made = key;
    made.variant = variant;
    return made;
  }

  constexpr buffer_ref kernel_value(const emitter& emit) const {
    return emit.parameter_value(kernel).as(kernel_extents());
  }

  /// The image that a product reads: x itself, or where filters of small groups read it (rows,
  /// columns, channels of a group, filters) in scratch `tag`, which is written where that is not
  /// the same.
  constexpr buffer_ref image_read(emitter& emit, const buffer_ref& x, std::int32_t tag) const {
    if (!key.spreads()) {
      return x.as(input_extents());
    }
    const shape extents{key.rows, key.columns, key.depth(), key.filters};
    if (key.one_to_one() && key.input_in_one_row == 0) {
      return x.as(extents);
    }
    const buffer_ref made = emit.scratch(tag, extents, storage::positions);
    spread(emit, conv2d_variant::spread_input, made, x.as(input_extents()));
    return made;
  }

  /// The same of the gradient d: (rows, columns, filters of a group, channels).
  constexpr buffer_ref gradient_read(emitter& emit, const buffer_ref& d, std::int32_t tag) const {
    if (!key.spreads()) {
      return d.as(output_extents());
    }
    const shape extents{key.output_rows, key.output_columns, key.filters_of_group(), key.channels};
    if (key.one_to_one()) {
      return d.as(extents);
    }
    const buffer_ref made = emit.scratch(tag, extents, storage::positions);
    spread(emit, conv2d_variant::spread_gradient, made, d.as(output_extents()));
    return made;
  }

  /// The kernel in panels: itself, or in scratch `tag`, which is written.
  constexpr buffer_ref kernel_read(emitter& emit, std::int32_t tag) const {
    if (key.plain_kernel == 0) {
      return kernel_value(emit);
    }
    buffer_ref made = emit.scratch(tag, kernel_extents(), storage::panels);
    made.samples = 0;
    call_draft call = emit.call_of(*code, of_variant(conv2d_variant::packed_kernel));
    const auto [row, column] = call.over(key.kernel_rows, key.kernel_columns);
    const auto [channel, filter] = call.over(key.depth(), key.filters);
    call.writes(made, {row, column, channel, filter})
        .reads(kernel_value(emit), {row, column, channel, filter});
    return made;
  }

  /// y = activation(x * kernel + bias), x and kernel as they are read.
  constexpr void forward(emitter& emit, const buffer_ref& y, const buffer_ref& x,
                         const buffer_ref& weights) const {
    conv2d_call applied = of_variant(conv2d_variant::forward);
    applied.activation = forward_activation(emit, key.activation);
    call_draft call = emit.call_of(*code, applied);
    const axis_id sample = call.over(key.batch);
    const auto [row, column] = call.over(key.output_rows, key.output_columns);
    const feature_axes features = over_features(call, key.filters);
    const reach filter = features.of_all;
    const axis_id tap_row = call.all(key.kernel_rows);
    const axis_id tap_column = call.all(key.kernel_columns);
    const axis_id channel = call.all(key.depth());
    call.scalar(alpha).writes(y.as(output_extents()), {sample, row, column, filter});
    read_windows(call, x, {sample, row, column, tap_row, tap_column, channel, features});
    call.reads(weights, {tap_row, tap_column, channel, filter});
    if (key.has_bias != 0) {
      call.reads(emit.parameter_value(bias), {filter});
    }
  }

  /// The gradient before the activation: scratch `tag`, or `d`, that of the node's output.
  constexpr buffer_ref masked(const emitter& emit, std::int32_t tag, const buffer_ref& d,
                              const shape& extents) const {
    return key.activation == activation_kind::linear
               ? d.as(extents)
               : emit.scratch(tag, extents, storage::positions);
  }

  /// What the activation does to the gradient is a call of its family, which writes `made`.
  constexpr void mask_gradient(emitter& emit, const buffer_ref& made, const buffer_ref& d,
                               const buffer_ref& y) const {
    if (key.activation == activation_kind::linear) {
      return;
    }
    const shape& extents = made.extents;
    call_draft call =
        emit.call_of(activation_family, activation_call{.variant = activation_variant::gradient,
                                                        .kind = key.activation,
                                                        .rows = key.batch * extents[0] * extents[1],
                                                        .units = extents[2]});
    const axis_id sample = call.over(key.batch);
    const auto [row, column, filter] = call.over(extents[0], extents[1], extents[2]);
    call.scalar(alpha)
        .writes(made, {sample, row, column, filter})
        .reads(d.as(extents), {sample, row, column, filter})
        .reads(y.as(extents), {sample, row, column, filter});
  }

  /// The kernel with the weights of each tap transposed, for a product that sums over filters: of a
  /// group (rows, columns, filters of a group, channels).
  constexpr buffer_ref transpose_kernel(emitter& emit, std::int32_t tag) const {
    const std::int32_t depth = key.depth();
    const std::int32_t filters = key.filters_of_group();
    buffer_ref made = emit.scratch(
        tag, {key.kernel_rows, key.kernel_columns, filters, key.channels}, storage::panels);
    made.samples = 0;
    call_draft call = emit.call_of(*code, of_variant(conv2d_variant::transposed_kernel));
    const auto [row, column] = call.over(key.kernel_rows, key.kernel_columns);
    if (!key.lanewise() && !key.wide_groups()) {
      const auto [channel, filter] = call.over(depth, filters);
      call.writes(made, {row, column, filter, channel})
          .reads(kernel_value(emit), {row, column, channel, filter});
      return made;
    }
    const axis_id group = call.over(key.groups);
    const auto [channel, filter] = call.over(depth, filters);
    call.writes(made, {row, column, filter, window(group, channel, depth, 1, 0)})
        .reads(kernel_value(emit), {row, column, channel, window(group, filter, filters, 1, 0)});
    return made;
  }

  /// Of the gradient d before the activation as it is read, in whole pixels; put through the
  /// activation that made the input `x`, unless that is linear.
  constexpr void input_gradient(emitter& emit, const buffer_ref& made, const buffer_ref& d,
                                const buffer_ref& transposed,
                                activation_kind through = activation_kind::linear,
                                const buffer_ref& x = {}) const {
    conv2d_call backward = of_variant(conv2d_variant::input_gradient);
    backward.activation = through;
    call_draft call = emit.call_of(*code, backward);
    const image_axes at = spread_over_image(call, made, d, transposed);
    if (through != activation_kind::linear) {
      call.reads(x.as(input_extents()), {at.sample, at.row, at.column, at.channel});
    }
  }

  /// The image of what a convolution makes of it, as its input gradient follows from the gradient:
  /// activation(that + bias).
  constexpr void transposed_forward(emitter& emit, const buffer_ref& image, const buffer_ref& x,
                                    const buffer_ref& transposed) const {
    call_draft call = emit.call_of(*code, of_variant(conv2d_variant::transposed_forward));
    call.scalar(alpha);
    const image_axes at = spread_over_image(call, image, x, transposed);
    if (key.has_bias != 0) {
      call.reads(emit.parameter_value(bias), {at.channel});
    }
  }

  /// The gradient of a bias of the channels of the image, of whose gradient `d`.
  constexpr void bias_gradient(emitter& emit, const buffer_ref& d) const {
    const family* const ending = emit.fused_update();
    call_draft call = emit.call_of(*code, of_variant(conv2d_variant::bias_gradient));
    call.ends_with(ending);
    const axis_id channel = call.over(key.channels);
    const axis_id sample = call.all(key.batch);
    const axis_id row = call.all(key.rows);
    const axis_id column = call.all(key.columns);
    call.updates(emit.accumulator(bias), {channel});
    update_parameter(emit, call, ending, bias, {channel});
    call.reads(d.as(input_extents()), {sample, row, column, channel});
  }

  /// The gradients of kernel and bias, from the same operands, x as it is read.
  constexpr void weight_gradient(emitter& emit, const buffer_ref& x, const buffer_ref& d) const {
    const family* const ending = emit.fused_update();
    call_draft call = emit.call_of(*code, of_variant(conv2d_variant::weight_gradient));
    call.ends_with(ending);
    const auto [tap_row, tap_column, channel] =
        call.over(key.kernel_rows, key.kernel_columns, key.depth());
    const feature_axes features = over_features(call, key.filters);
    const reach filter = features.of_all;
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
    read_windows(call, x, {sample, row, column, tap_row, tap_column, channel, features});
    call.reads(d.as(output_extents()), {sample, row, column, filter});
    if (key.has_bias != 0) {
      call.reads(d.as(output_extents()),
                 {sample_of_bias, row_of_bias, column_of_bias, filter_of_bias});
    }
  }

 private:
  /// Filters, or channels: their axis, or of groups that read the image as it is that of the groups
  /// and of those of a group.
  struct feature_axes {
    reach of_all;
    axis_id group;
  };

  constexpr feature_axes over_features(call_draft& call, std::int32_t features) const {
    if (!key.reads_by_group()) {
      const axis_id all = call.over(features);
      return {all, all};
    }
    const auto [group, of_group] = call.over(key.groups, features / key.groups);
    return {window(group, of_group, features / key.groups, 1, 0), group};
  }

  /// What those features read of the others, number `k` of a group or of all.
  constexpr reach read_by(const feature_axes& features, axis_id k, std::int32_t of_group) const {
    return key.reads_by_group() ? window(features.group, k, of_group, 1, 0) : reach(k);
  }

  /// Of an output and a tap.
  struct tap_axes {
    axis_id sample;
    axis_id row;
    axis_id column;
    axis_id tap_row;
    axis_id tap_column;
    axis_id channel;
    feature_axes filter;
  };

  constexpr void read_windows(call_draft& call, const buffer_ref& x, const tap_axes& at) const {
    const reach row =
        window(at.row, at.tap_row, key.stride_rows, key.dilation_rows, key.padding_rows);
    const reach column = window(at.column, at.tap_column, key.stride_columns, key.dilation_columns,
                                key.padding_columns);
    if (key.spreads()) {
      call.reads(x, {at.sample, row, column, at.channel, at.filter.of_all});
    } else {
      call.reads(x, {at.sample, row, column, read_by(at.filter, at.channel, key.depth())});
    }
  }

  /// Of a number of the image.
  struct image_axes {
    axis_id sample;
    axis_id row;
    axis_id column;
    reach channel;
  };

  /// Declares a sum over all places of the kernel that meet a pixel of the image, whose axes it
  /// returns.
  constexpr image_axes spread_over_image(call_draft& call, const buffer_ref& image,
                                         const buffer_ref& d, const buffer_ref& transposed) const {
    const axis_id sample = call.over(key.batch);
    const auto [row, column] = call.over(key.rows, key.columns);
    const feature_axes features = over_features(call, key.channels);
    const reach channel = features.of_all;
    const axis_id tap_row = call.all(key.kernel_rows);
    const axis_id tap_column = call.all(key.kernel_columns);
    const axis_id filter = call.all(key.filters_of_group());
    const reach of_row =
        window_over(row, tap_row, key.stride_rows, key.dilation_rows, key.padding_rows);
    const reach of_column = window_over(column, tap_column, key.stride_columns,
                                        key.dilation_columns, key.padding_columns);
    call.writes(image.as(input_extents()), {sample, row, column, channel});
    if (key.spreads()) {
      call.reads(d, {sample, of_row, of_column, filter, channel});
    } else {
      call.reads(d.as(output_extents()),
                 {sample, of_row, of_column, read_by(features, filter, key.filters_of_group())});
    }
    call.reads(transposed, {tap_row, tap_column, filter, channel})
        .costs(std::int64_t{key.batch} * key.output_rows * key.output_columns * key.filters *
               taps() * key.depth());
    return {sample, row, column, channel};
  }

  /// Of every pixel of `read`, dealt into groups, what each unit of `made` reads.
  constexpr void spread(emitter& emit, conv2d_variant variant, const buffer_ref& made,
                        const buffer_ref& read) const {
    const std::int32_t depth = made.extents[2];
    const std::int32_t units = made.extents[3] / key.groups;
    call_draft call = emit.call_of(*code, of_variant(variant));
    const axis_id sample = call.over(key.batch);
    const auto [row, column, feature] = call.over(made.extents[0], made.extents[1], depth);
    const auto [group, unit] = call.over(key.groups, units);
    call.writes(made, {sample, row, column, feature, window(group, unit, units, 1, 0)})
        .reads(read, {sample, row, column, window(group, feature, depth, 1, 0)});
  }
};

}  // namespace ipu_dsl
