// SPDX-License-Identifier: MIT
// The product of the features of each position (of an image, of a sequence) with one matrix.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl {

/// activation(features * kernel + bias) at every position: the calls of a convolution along the
/// positions with a kernel of one tap, for families that own kernel [inputs, units] and bias
/// [units]. Buffers are of (positions, features).
struct position_product {
  std::int32_t positions = 1;
  std::int32_t inputs = 1;
  std::int32_t units = 1;
  std::int32_t kernel = 0;  ///< its number among the node's parameters
  std::int32_t bias = -1;   ///< the same; -1: none
  std::int32_t back = 0;    ///< reads the features of so many positions before, or behind if < 0
  std::int32_t more = 0;    ///< so many positions more are there to be read: then all are met
  activation_kind activation = activation_kind::linear;
  float alpha = 0;

  constexpr bool has_bias() const { return bias >= 0; }

  constexpr conv2d_call key(const emitter& emit, conv2d_variant variant) const {
    return {.variant = variant,
            .batch = emit.batch(),
            .rows = 1,
            .columns = positions + more,
            .channels = inputs,
            .filters = units,
            .kernel_rows = 1,
            .kernel_columns = 1,
            .stride_rows = 1,
            .stride_columns = 1,
            .padding_rows = 0,
            .padding_columns = back,
            .output_rows = 1,
            .output_columns = positions,
            .activation = activation,
            .has_bias = has_bias() ? 1 : 0,
            .input_in_one_row = 0};
  }

  constexpr void forward(emitter& emit, const buffer_ref& output, const buffer_ref& input) const {
    call_draft call = emit.call_of(conv2d_family, key(emit, conv2d_variant::forward));
    const axis_id sample = call.over(emit.batch());
    const auto [position, unit] = call.over(positions, units);
    const axis_id feature = call.all(inputs);
    call.scalar(alpha)
        .writes(output, {sample, position, unit})
        .reads(input, {sample, position, feature})
        .reads(emit.parameter_value(kernel), {feature, unit});
    if (has_bias()) {
      call.reads(emit.parameter_value(bias), {unit});
    }
  }

  /// The gradient of the product: that of the node's output, or where an activation masks it
  /// scratch `tag`.
  constexpr buffer_ref output_gradient(const emitter& emit, std::int32_t tag) const {
    return activation == activation_kind::linear
               ? by_position(emit.output_gradient(0))
               : emit.scratch(tag, {positions, units}, storage::positions);
  }

  /// Writes it, where that is to be done.
  constexpr void mask_gradient(emitter& emit, std::int32_t tag) const {
    if (activation == activation_kind::linear) {
      return;
    }
    call_draft call =
        emit.call_of(activation_family, activation_call{.variant = activation_variant::gradient,
                                                        .kind = activation,
                                                        .rows = emit.batch() * positions,
                                                        .units = units});
    const axis_id sample = call.over(emit.batch());
    const auto [position, unit] = call.over(positions, units);
    call.scalar(alpha)
        .writes(output_gradient(emit, tag), {sample, position, unit})
        .reads(by_position(emit.output_gradient(0)), {sample, position, unit})
        .reads(by_position(emit.output_value(0)), {sample, position, unit});
  }

  /// Where the kernel lies as panels of [units, inputs]: scratch `tag`.
  constexpr buffer_ref place_of_transposed(const emitter& emit, std::int32_t tag) const {
    buffer_ref made = emit.scratch(tag, {units, inputs}, storage::panels);
    made.samples = 0;
    return made;
  }

  /// Lays it out there.
  constexpr buffer_ref transposed_kernel(emitter& emit, std::int32_t tag) const {
    const buffer_ref made = place_of_transposed(emit, tag);
    call_draft call = emit.call_of(conv2d_family, key(emit, conv2d_variant::transposed_kernel));
    const auto [feature, unit] = call.over(inputs, units);
    call.writes(made, {unit, feature}).reads(emit.parameter_value(kernel), {feature, unit});
    return made;
  }

  /// From `gradient`, that of the product; `tag` is of the scratch for the kernel.
  constexpr void input_gradient(emitter& emit, const buffer_ref& made, const buffer_ref& gradient,
                                std::int32_t tag) const {
    input_gradient_by(emit, made, gradient, transposed_kernel(emit, tag));
  }

  /// The same by a kernel that lies so already.
  constexpr void input_gradient_by(emitter& emit, const buffer_ref& made,
                                   const buffer_ref& gradient, const buffer_ref& weights) const {
    conv2d_call backward = key(emit, conv2d_variant::input_gradient);
    backward.activation = activation_kind::linear;
    call_draft call = emit.call_of(conv2d_family, backward);
    const axis_id sample = call.over(emit.batch());
    const auto [position, feature] = call.over(positions, inputs);
    const axis_id unit = call.all(units);
    call.writes(made, {sample, position, feature})
        .reads(gradient, {sample, position, unit})
        .reads(weights, {unit, feature});
  }

  /// The positions that read features, and for which the gradient of the kernel is a sum.
  constexpr std::int32_t reading_positions() const {
    const std::int32_t without = more > 0 ? 0 : (back < 0 ? -back : back);
    return without < positions ? positions - without : positions;
  }

  /// Where the first of what these positions read stands.
  constexpr std::int32_t first_read() const {
    return back >= 0 ? 0 : (more > 0 ? -back : positions - reading_positions());
  }

  /// The gradients of kernel and bias, from the same operands.
  constexpr void weight_gradient(emitter& emit, const buffer_ref& input,
                                 const buffer_ref& gradient) const {
    const family* const ending = emit.fused_update();
    call_draft call = emit.call_of(conv2d_family, key(emit, conv2d_variant::weight_gradient));
    call.ends_with(ending);
    const auto [feature, unit] = call.over(inputs, units);
    const axis_id sample = call.all(emit.batch());
    const axis_id position = call.all(reading_positions());
    const std::int32_t without = positions - reading_positions();
    call.updates(emit.accumulator(kernel), {feature, unit});
    axis_id unit_of_bias;
    axis_id sample_of_bias;
    axis_id position_of_bias;
    if (has_bias()) {
      call.beside();
      unit_of_bias = call.over(units);
      sample_of_bias = call.all(emit.batch());
      position_of_bias = call.all(positions);
      call.updates(emit.accumulator(bias), {unit_of_bias});
    }
    update_parameter(emit, call, ending, kernel, {feature, unit});
    if (has_bias()) {
      update_parameter(emit, call, ending, bias, {unit_of_bias});
    }
    call.reads(input, {sample, shifted(position, first_read()), feature})
        .reads(gradient, {sample, shifted(position, back > 0 ? without : 0), unit});
    if (has_bias()) {
      call.reads(gradient, {sample_of_bias, position_of_bias, unit_of_bias});
    }
  }
};

}  // namespace ipu_dsl
