// SPDX-License-Identifier: MIT
// Conv2D: which kernel each variant is.
#pragma once

#include <utility>

#include <ipu_dsl/kernels/group_layout.hpp>
#include <ipu_dsl/kernels/lanewise_product.hpp>
#include <ipu_dsl/kernels/separable_product.hpp>
#include <ipu_dsl/kernels/tap_gradient.hpp>
#include <ipu_dsl/kernels/window_gradient.hpp>
#include <ipu_dsl/kernels/window_product.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/update.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace conv2d_code {

constexpr kernels::window rows_of(const conv2d_call& call) {
  return {call.rows,        call.output_rows,  call.kernel_rows,
          call.stride_rows, call.padding_rows, call.dilation_rows};
}

constexpr kernels::window columns_of(const conv2d_call& call) {
  return {call.columns,        call.output_columns,  call.kernel_columns,
          call.stride_columns, call.padding_columns, call.dilation_columns};
}

/// Of images whose pixels are padded one by one, or lie in one row a sample.
constexpr kernels::image_strides strides_of(std::int32_t rows, std::int32_t columns,
                                            std::int32_t features, bool in_one_row) {
  if (in_one_row) {
    const std::int32_t row = columns * features;
    return {layout::row_stride(rows * row), row, features};
  }
  const std::ptrdiff_t pixel = layout::row_stride(features);
  return {rows * columns * pixel, columns * pixel, pixel};
}

/// Of images as a product by lanes reads them: of every pixel `depth` rows of `units` numbers.
constexpr kernels::image_strides strides_of_spread(std::int32_t rows, std::int32_t columns,
                                                   std::int32_t depth, std::int32_t units) {
  const std::ptrdiff_t pixel = std::ptrdiff_t{depth} * layout::row_stride(units);
  return {rows * columns * pixel, columns * pixel, pixel};
}

/// See `window_product::lanewise`.
constexpr std::int32_t lanewise_of(const conv2d_call& call) {
  return call.groups_in_lanes() ? call.depth() : (call.lanewise() ? 1 : 0);
}

constexpr kernels::window_product forward_of(const conv2d_call& call) {
  return {
      .read = call.spreads()
                  ? strides_of_spread(call.rows, call.columns, call.depth(), call.filters)
                  : strides_of(call.rows, call.columns, call.channels, call.input_in_one_row != 0),
      .written = strides_of(call.output_rows, call.output_columns, call.filters, false),
      .samples = call.batch,
      .rows = kernels::forward_axis(rows_of(call)),
      .columns = kernels::forward_axis(columns_of(call)),
      .depth = call.depth(),
      .units = call.filters,
      .kernel_columns = call.kernel_columns,
      .kernel_taps = call.kernel_rows * call.kernel_columns,
      .groups = call.wide_groups() ? call.groups : 1,
      .lanewise = lanewise_of(call)};
}

/// The gradient of the pixels `row`, `row` + stride, ... and `column`, ...: they meet the same
/// taps.
constexpr kernels::window_product gradient_of(const conv2d_call& call, std::int32_t row,
                                              std::int32_t column) {
  kernels::window_product made{
      .read = call.spreads()
                  ? strides_of_spread(call.output_rows, call.output_columns,
                                      call.filters_of_group(), call.channels)
                  : strides_of(call.output_rows, call.output_columns, call.filters, false),
      .written = strides_of(call.rows, call.columns, call.channels, false),
      .samples = call.batch,
      .rows = kernels::gradient_axis(rows_of(call), row),
      .columns = kernels::gradient_axis(columns_of(call), column),
      .depth = call.filters_of_group(),
      .units = call.channels,
      .kernel_columns = call.kernel_columns,
      .kernel_taps = call.kernel_rows * call.kernel_columns,
      .groups = call.wide_groups() ? call.groups : 1,
      .lanewise = lanewise_of(call)};
  made.written.row *= call.stride_rows;
  made.written.pixel *= call.stride_columns;
  return made;
}

/// What each filter reads of the image, and what the gradient of each channel reads.
constexpr kernels::group_spread spread_of_input(const conv2d_call& call) {
  return {.samples = call.batch,
          .rows = call.rows,
          .columns = call.columns,
          .depth = call.depth(),
          .units_of_group = call.filters_of_group(),
          .units = call.filters,
          .read = strides_of(call.rows, call.columns, call.channels, call.input_in_one_row != 0)};
}

constexpr kernels::group_spread spread_of_gradient(const conv2d_call& call) {
  return {.samples = call.batch,
          .rows = call.output_rows,
          .columns = call.output_columns,
          .depth = call.filters_of_group(),
          .units_of_group = call.depth(),
          .units = call.channels,
          .read = strides_of(call.output_rows, call.output_columns, call.filters, false)};
}

constexpr kernels::group_weights weights_of_groups(const conv2d_call& call) {
  return {.taps = call.kernel_rows * call.kernel_columns,
          .channels = call.channels,
          .filters = call.filters,
          .groups = call.groups,
          .plain = call.plain_kernel != 0};
}

template <conv2d_call Call>
void transpose_kernel(const float* w, float* transposed, const grain& part) noexcept {
  if constexpr (Call.lanewise() || Call.wide_groups()) {
    kernels::transpose_groups<weights_of_groups(Call)>(w, transposed, part);
  } else {
    kernels::transpose_taps<Call.kernel_rows * Call.kernel_columns, Call.channels, Call.filters>(
        w, transposed, part);
  }
}

template <conv2d_call Call, typename Rule>
void weight_gradient(const gradient_operands<Rule>& given, const grain& part) noexcept {
  constexpr kernels::window_product product = forward_of(Call);
  const float* const x = floats(given.read[0]);
  const float* const d = floats(given.read[1]);
  if constexpr (Call.lanewise()) {
    using enum kernels::weights_lying;
    kernels::gradient_of_taps<product, Call.plain_kernel != 0 ? plain : in_panels, Rule>(
        x, d, given.target(0), given.target(1), given.step, part);
  } else {
    kernels::gradient_of_windows<product, Rule>(x, d, given.target(0), given.target(1), given.step,
                                                part);
  }
}

/// A product over windows by the kernel that has it; a gradient back through what made the image.
template <kernels::window_product Product, activation_kind Kind,
          activation_kind Through = activation_kind::linear>
void multiply(const float* x, const float* w, const float* bias, float* y, float alpha,
              const grain& part, const kernels::activated_pixels<Through>& made = {}) noexcept {
  if constexpr (Product.lanewise != 0) {
    static_assert(Through == activation_kind::linear);
    kernels::multiply_by_lanes<Product, Kind>(x, w, bias, y, alpha, part);
  } else {
    kernels::multiply_windows<Product.with_merged_lines(), Kind>(x, w, bias, y, alpha, part, made);
  }
}

template <conv2d_call Call, activation_kind Kind, int Phase, activation_kind Through>
void image_phase(const float* d, const float* transposed, const float* bias, float* image,
                 float alpha, const grain& part,
                 const kernels::activated_pixels<Through>& made) noexcept {
  constexpr std::int32_t row = Phase / Call.stride_columns;
  constexpr std::int32_t column = Phase % Call.stride_columns;
  constexpr kernels::image_strides strides =
      strides_of(Call.rows, Call.columns, Call.channels, false);
  constexpr kernels::window_product product = gradient_of(Call, row, column);
  if constexpr (product.has_outputs()) {
    constexpr std::ptrdiff_t first = row * strides.row + column * strides.pixel;
    multiply<product, Kind>(d, transposed, bias, image + first, alpha, part, made.at(first));
  }
}

/// What lies in an image by the places of the kernel that meet it, activation(that + bias): one
/// product for each phase.
template <conv2d_call Call, activation_kind Kind, activation_kind Through, int... Phases>
void image_of(const float* d, const float* transposed, const float* bias, float* image, float alpha,
              const grain& part, const kernels::activated_pixels<Through>& made,
              std::integer_sequence<int, Phases...>) noexcept {
  (image_phase<Call, Kind, Phases>(d, transposed, bias, image, alpha, part, made), ...);
}

/// The two convolutions of a call that makes both.
constexpr conv2d_call depthwise_of(const conv2d_call& both) {
  conv2d_call made = both;
  made.variant = conv2d_variant::forward;
  made.filters = both.channels;
  made.activation = activation_kind::linear;
  made.has_bias = 0;
  return made;
}

constexpr conv2d_call pointwise_of(const conv2d_call& both) {
  conv2d_call made = both;
  made.variant = conv2d_variant::forward;
  made.rows = both.output_rows;
  made.columns = both.output_columns;
  made.kernel_rows = made.kernel_columns = 1;
  made.stride_rows = made.stride_columns = 1;
  made.dilation_rows = made.dilation_columns = 1;
  made.padding_rows = made.padding_columns = 0;
  made.groups = 1;
  made.plain_kernel = 0;
  return made;
}

inline constexpr kernels::activated_pixels<activation_kind::linear> no_pixels;

template <conv2d_call Call>
using phases_of = std::make_integer_sequence<int, Call.stride_rows * Call.stride_columns>;

}  // namespace conv2d_code

template <>
struct operators<&conv2d_family> {
  using key = conv2d_call;

  template <conv2d_call Call>
  static constexpr bool in_grains = true;

  /// `Ending` is the optimizer with whose update a weight gradient ends, if it does.
  template <conv2d_call Call, const family* Ending = nullptr>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    if constexpr (Call.variant == conv2d_variant::forward) {
      const float* bias = Call.has_bias != 0 ? floats(operands[3]) : nullptr;
      conv2d_code::multiply<conv2d_code::forward_of(Call), Call.activation>(
          floats(operands[1]), floats(operands[2]), bias, floats(operands[0]), scalars[0],
          context.part);
    } else if constexpr (Call.variant == conv2d_variant::separable_forward) {
      const float* bias = Call.has_bias != 0 ? floats(operands[4]) : nullptr;
      kernels::multiply_separably<conv2d_code::forward_of(conv2d_code::depthwise_of(Call)),
                                  conv2d_code::forward_of(conv2d_code::pointwise_of(Call)),
                                  Call.activation>(floats(operands[1]), floats(operands[2]),
                                                   floats(operands[3]), bias, floats(operands[0]),
                                                   scalars[0], context.part);
    } else if constexpr (Call.variant == conv2d_variant::transposed_kernel) {
      conv2d_code::transpose_kernel<Call>(floats(operands[1]), floats(operands[0]), context.part);
    } else if constexpr (Call.variant == conv2d_variant::packed_kernel) {
      kernels::pack_taps<conv2d_code::weights_of_groups(Call)>(floats(operands[1]),
                                                               floats(operands[0]), context.part);
    } else if constexpr (Call.variant == conv2d_variant::spread_input) {
      kernels::spread_groups<conv2d_code::spread_of_input(Call)>(floats(operands[1]),
                                                                 floats(operands[0]), context.part);
    } else if constexpr (Call.variant == conv2d_variant::spread_gradient) {
      kernels::spread_groups<conv2d_code::spread_of_gradient(Call)>(
          floats(operands[1]), floats(operands[0]), context.part);
    } else if constexpr (Call.variant == conv2d_variant::input_gradient) {
      constexpr bool goes_through = Call.activation != activation_kind::linear;
      const kernels::activated_pixels<Call.activation> made{goes_through ? floats(operands[3])
                                                                         : nullptr};
      conv2d_code::image_of<Call, activation_kind::linear>(
          floats(operands[1]), floats(operands[2]), nullptr, floats(operands[0]), 0.0F,
          context.part, made, conv2d_code::phases_of<Call>());
    } else if constexpr (Call.variant == conv2d_variant::transposed_forward) {
      const float* bias = Call.has_bias != 0 ? floats(operands[3]) : nullptr;
      conv2d_code::image_of<Call, Call.activation>(
          floats(operands[1]), floats(operands[2]), bias, floats(operands[0]), scalars[0],
          context.part, conv2d_code::no_pixels, conv2d_code::phases_of<Call>());
    } else if constexpr (Call.variant == conv2d_variant::bias_gradient) {
      using rule = typename update_rule<Ending>::type;
      const gradient_operands<rule> given(context, operands, 1);
      kernels::gradient_of_pixels<Call.channels, rule>(floats(given.read[0]),
                                                       Call.batch * Call.rows * Call.columns,
                                                       given.target(0), given.step, context.part);
    } else {
      using rule = typename update_rule<Ending>::type;
      const gradient_operands<rule> given(context, operands, Call.has_bias != 0 ? 2 : 1);
      conv2d_code::weight_gradient<Call>(given, context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
