// SPDX-License-Identifier: MIT
// Code of Permute.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/permute.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/permute.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Samples are moved apart from each other.
template <>
struct operators<&permute_family> {
  using key = permute_call;

  template <permute_call Call>
  static constexpr bool in_grains = true;

  template <permute_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr kernels::permuted_axes axes = axes_of(Call);
    constexpr std::int32_t elements =
        axes.extents[0] * axes.extents[1] * axes.extents[2] * axes.extents[3];
    constexpr std::int32_t stride = layout::row_stride(elements);
    const index_range samples = range_of(Call.batch, context.part);
    for (std::int32_t sample = samples.begin; sample < samples.end; ++sample) {
      float* const written = floats(operands[0]) + std::ptrdiff_t{sample} * stride;
      kernels::permute(floats(operands[1]) + std::ptrdiff_t{sample} * stride, written, axes);
      kernels::clear_columns(written + elements, 0, 1, stride - elements);
    }
  }

 private:
  static constexpr kernels::permuted_axes axes_of(const permute_call& call) {
    kernels::permuted_axes made{};
    for (std::int32_t i = 0; i < most_permuted_axes; ++i) {
      made.extents[i] = call.extents[i];
      made.strides[i] = call.strides[i];
    }
    return made;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
