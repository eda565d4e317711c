// SPDX-License-Identifier: MIT
// Pooling: which kernel each variant is.
#pragma once

#include <type_traits>

#include <ipu_dsl/kernels/pooling.hpp>
#include <ipu_dsl/kernels/pooling_gradient.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/pooling.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace pooling_code {

constexpr kernels::pooled_images images_of(const pooling_call& call) {
  return {
      .samples = call.batch,
      .rows = {call.rows, call.output_rows, call.window_rows, call.stride_rows, call.padding_rows},
      .columns = {call.columns, call.output_columns, call.window_columns, call.stride_columns,
                  call.padding_columns},
      .channels = call.channels};
}

}  // namespace pooling_code

template <>
struct operators<&pooling_family> {
  using key = pooling_call;

  template <pooling_call Call>
  static constexpr bool in_grains = true;

  template <pooling_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr kernels::pooled_images images = pooling_code::images_of(Call);
    float* const written = floats(operands[0]);
    const float* const read = floats(operands[1]);
    if constexpr (Call.variant == pooling_variant::forward) {
      using rule = std::conditional_t<Call.kind == pooling_kind::maximum, kernels::largest,
                                      kernels::mean_of_all>;
      kernels::pool<rule, images>(read, written, context.part);
    } else if constexpr (Call.variant == pooling_variant::maximum_gradient) {
      const kernels::gradient_to_largest<images, Call.through> rule{floats(operands[2]),
                                                                    floats(operands[3])};
      kernels::pool_gradient<images>(rule, read, written, context.part);
    } else {
      constexpr bool reads_image = Call.through != activation_kind::linear;
      const kernels::gradient_to_all<images, Call.through> rule{reads_image ? floats(operands[2])
                                                                            : nullptr};
      kernels::pool_gradient<images>(rule, read, written, context.part);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
