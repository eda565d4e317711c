// SPDX-License-Identifier: MIT
// Code of the layers that change how many positions there are.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/resize.hpp>
#include <ipu_dsl/kernels/resize_bilinear.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/resize.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Rows of positions are written apart from each other, so grains are those.
template <>
struct operators<&resize_family> {
  using key = resize_call;

  template <resize_call Call>
  static constexpr bool in_grains = true;

  template <resize_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr kernels::resized_images images{axis_of(Call.rows), axis_of(Call.columns),
                                             Call.channels};
    float* const written = floats(operands[0]);
    const float* const read = floats(operands[1]);
    constexpr bool interpolates = Call.interpolates != 0;
    if constexpr (Call.variant == resize_variant::forward) {
      const index_range mine = range_of(Call.batch * Call.rows.outputs, context.part);
      if constexpr (interpolates) {
        kernels::interpolate(read, written, images, mine);
      } else {
        kernels::resize(read, written, images, mine);
      }
    } else {
      const index_range mine = range_of(Call.batch * Call.rows.inputs, context.part);
      if constexpr (interpolates) {
        kernels::interpolate_gradient(read, written, images, mine);
      } else {
        kernels::resize_gradient(read, written, images, mine);
      }
    }
  }

 private:
  static constexpr kernels::resized_axis axis_of(const resized_extent& of) {
    return {of.inputs, of.outputs, of.before, of.factor};
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
