// SPDX-License-Identifier: MIT
// Conv3D: which kernel each variant is.
#pragma once

#include <utility>

#include <ipu_dsl/kernels/window_gradient.hpp>
#include <ipu_dsl/kernels/window_product.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/update.hpp>
#include <ipu_dsl/vocabulary/layers/conv3d.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace conv3d_code {

constexpr kernels::window planes_of(const conv3d_call& call) {
  return {call.input.planes,   call.planes().outputs, call.kernel.planes,
          call.strides.planes, call.planes().padding, call.dilation.planes};
}

constexpr kernels::window rows_of(const conv3d_call& call) {
  return {call.input.rows,   call.rows().outputs, call.kernel.rows,
          call.strides.rows, call.rows().padding, call.dilation.rows};
}

constexpr kernels::window columns_of(const conv3d_call& call) {
  return {call.input.columns,   call.columns().outputs, call.kernel.columns,
          call.strides.columns, call.columns().padding, call.dilation.columns};
}

/// Of volumes whose positions are padded one by one, or lie in one row a sample.
constexpr kernels::image_strides strides_of(const three_numbers& extents, std::int32_t features,
                                            bool in_one_row) {
  if (in_one_row) {
    const std::int32_t row = extents.columns * features;
    const std::int32_t plane = extents.rows * row;
    return {layout::row_stride(extents.planes * plane), row, features, plane};
  }
  const std::ptrdiff_t position = layout::row_stride(features);
  const std::ptrdiff_t row = extents.columns * position;
  return {extents.product() * position, row, position, extents.rows * row};
}

constexpr kernels::window_product forward_of(const conv3d_call& call) {
  return {.read = strides_of(call.input, call.channels, call.input_in_one_row != 0),
          .written = strides_of(call.output(), call.filters, false),
          .samples = call.batch,
          .rows = kernels::forward_axis(rows_of(call)),
          .columns = kernels::forward_axis(columns_of(call)),
          .depth = call.channels,
          .units = call.filters,
          .kernel_columns = call.kernel.columns,
          .kernel_taps = call.kernel.product(),
          .planes = kernels::forward_axis(planes_of(call)),
          .kernel_rows = call.kernel.rows};
}

/// The gradient of the positions from `phase` on, in steps of the strides: they meet the same taps.
constexpr kernels::window_product gradient_of(const conv3d_call& call, const three_numbers& phase) {
  kernels::window_product made{.read = strides_of(call.output(), call.filters, false),
                               .written = strides_of(call.input, call.channels, false),
                               .samples = call.batch,
                               .rows = kernels::gradient_axis(rows_of(call), phase.rows),
                               .columns = kernels::gradient_axis(columns_of(call), phase.columns),
                               .depth = call.filters,
                               .units = call.channels,
                               .kernel_columns = call.kernel.columns,
                               .kernel_taps = call.kernel.product(),
                               .planes = kernels::gradient_axis(planes_of(call), phase.planes),
                               .kernel_rows = call.kernel.rows};
  made.written.plane *= call.strides.planes;
  made.written.row *= call.strides.rows;
  made.written.pixel *= call.strides.columns;
  return made;
}

template <conv3d_call Call, int Phase>
void input_gradient_phase(const float* d, const float* transposed, float* dx,
                          const grain& part) noexcept {
  constexpr three_numbers phase = {Phase / (Call.strides.rows * Call.strides.columns),
                                   Phase / Call.strides.columns % Call.strides.rows,
                                   Phase % Call.strides.columns};
  constexpr kernels::image_strides strides = strides_of(Call.input, Call.channels, false);
  constexpr kernels::window_product product = gradient_of(Call, phase);
  if constexpr (product.has_outputs()) {
    float* const first = dx + phase.planes * strides.plane + phase.rows * strides.row +
                         phase.columns * strides.pixel;
    kernels::multiply_windows<product, activation_kind::linear>(d, transposed, nullptr, first, 0.0F,
                                                                part);
  }
}

/// One product for each phase.
template <conv3d_call Call, int... Phases>
void input_gradient(const float* d, const float* transposed, float* dx, const grain& part,
                    std::integer_sequence<int, Phases...>) noexcept {
  (input_gradient_phase<Call, Phases>(d, transposed, dx, part), ...);
}

}  // namespace conv3d_code

template <>
struct operators<&conv3d_family> {
  using key = conv3d_call;

  template <conv3d_call Call>
  static constexpr bool in_grains = true;

  /// `Ending` is the optimizer with whose update a weight gradient ends, if it does.
  template <conv3d_call Call, const family* Ending = nullptr>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    if constexpr (Call.variant == conv3d_variant::forward) {
      const float* bias = Call.has_bias != 0 ? floats(operands[3]) : nullptr;
      kernels::multiply_windows<conv3d_code::forward_of(Call), Call.activation>(
          floats(operands[1]), floats(operands[2]), bias, floats(operands[0]), scalars[0],
          context.part);
    } else if constexpr (Call.variant == conv3d_variant::transposed_kernel) {
      kernels::transpose_taps<Call.kernel.product(), Call.channels, Call.filters>(
          floats(operands[1]), floats(operands[0]), context.part);
    } else if constexpr (Call.variant == conv3d_variant::input_gradient) {
      conv3d_code::input_gradient<Call>(floats(operands[1]), floats(operands[2]),
                                        floats(operands[0]), context.part,
                                        std::make_integer_sequence<int, Call.strides.product()>());
    } else {
      using rule = typename update_rule<Ending>::type;
      const gradient_operands<rule> given(context, operands, Call.has_bias != 0 ? 2 : 1);
      kernels::gradient_of_windows<conv3d_code::forward_of(Call), rule>(
          floats(given.read[0]), floats(given.read[1]), given.target(0), given.target(1),
          given.step, context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
