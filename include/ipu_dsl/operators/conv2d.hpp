// SPDX-License-Identifier: MIT
// Conv2D: which kernel each variant is.
#pragma once

#include <utility>

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

constexpr kernels::window_product forward_of(const conv2d_call& call) {
  return {.samples = call.batch,
          .rows = kernels::forward_axis(rows_of(call)),
          .columns = kernels::forward_axis(columns_of(call)),
          .depth = call.channels,
          .units = call.filters,
          .kernel_columns = call.kernel_columns,
          .kernel_taps = call.kernel_rows * call.kernel_columns,
          .read = strides_of(call.rows, call.columns, call.channels, call.input_in_one_row != 0),
          .written = strides_of(call.output_rows, call.output_columns, call.filters, false)};
}

/// The gradient of the pixels `row`, `row` + stride, ... and `column`, ...: they meet the same
/// taps.
constexpr kernels::window_product gradient_of(const conv2d_call& call, std::int32_t row,
                                              std::int32_t column) {
  kernels::window_product made{
      .samples = call.batch,
      .rows = kernels::gradient_axis(rows_of(call), row),
      .columns = kernels::gradient_axis(columns_of(call), column),
      .depth = call.filters,
      .units = call.channels,
      .kernel_columns = call.kernel_columns,
      .kernel_taps = call.kernel_rows * call.kernel_columns,
      .read = strides_of(call.output_rows, call.output_columns, call.filters, false),
      .written = strides_of(call.rows, call.columns, call.channels, false)};
  made.written.row *= call.stride_rows;
  made.written.pixel *= call.stride_columns;
  return made;
}

template <conv2d_call Call, int Phase>
void input_gradient_phase(const float* d, const float* transposed, float* dx,
                          const grain& part) noexcept {
  constexpr std::int32_t row = Phase / Call.stride_columns;
  constexpr std::int32_t column = Phase % Call.stride_columns;
  constexpr kernels::image_strides strides =
      strides_of(Call.rows, Call.columns, Call.channels, false);
  kernels::multiply_windows<gradient_of(Call, row, column), activation_kind::linear>(
      d, transposed, nullptr, dx + row * strides.row + column * strides.pixel, 0.0F, part);
}

/// One product for each phase.
template <conv2d_call Call, int... Phases>
void input_gradient(const float* d, const float* transposed, float* dx, const grain& part,
                    std::integer_sequence<int, Phases...>) noexcept {
  (input_gradient_phase<Call, Phases>(d, transposed, dx, part), ...);
}

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
      kernels::multiply_windows<conv2d_code::forward_of(Call), Call.activation>(
          floats(operands[1]), floats(operands[2]), bias, floats(operands[0]), scalars[0],
          context.part);
    } else if constexpr (Call.variant == conv2d_variant::transposed_kernel) {
      kernels::transpose_taps<Call.kernel_rows * Call.kernel_columns, Call.channels, Call.filters>(
          floats(operands[1]), floats(operands[0]), context.part);
    } else if constexpr (Call.variant == conv2d_variant::input_gradient) {
      constexpr int phases = Call.stride_rows * Call.stride_columns;
      conv2d_code::input_gradient<Call>(floats(operands[1]), floats(operands[2]),
                                        floats(operands[0]), context.part,
                                        std::make_integer_sequence<int, phases>());
    } else {
      using rule = typename update_rule<Ending>::type;
      const gradient_operands<rule> given(context, operands, Call.has_bias != 0 ? 2 : 1);
      kernels::gradient_of_windows<conv2d_code::forward_of(Call), rule>(
          floats(given.read[0]), floats(given.read[1]), given.target(0), given.target(1),
          given.step, context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
