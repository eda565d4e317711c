// SPDX-License-Identifier: MIT
// Code of PReLU.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/prelu.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/prelu.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Samples are computed apart from each other, but for the sums over all of them.
template <>
struct operators<&prelu_family> {
  using key = prelu_call;

  template <prelu_call Call>
  static constexpr bool in_grains = Call.variant != prelu_variant::weight_gradient;

  template <prelu_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr kernels::sloped_axes axes = axes_of(Call);
    constexpr std::int32_t elements =
        axes.extents[0] * axes.extents[1] * axes.extents[2] * axes.extents[3];
    constexpr std::ptrdiff_t stride = layout::row_stride(elements);
    float* const written = floats(operands[0]);
    const float* const x = floats(operands[1]);
    const float* const slopes = floats(operands[2]);
    if constexpr (Call.variant == prelu_variant::weight_gradient) {
      if (!context.continues) {
        kernels::clear_tensor(written, slopes_of(axes));
      }
      for (std::int32_t sample = 0; sample < Call.batch; ++sample) {
        kernels::add_slope_gradients(x + sample * stride, slopes + sample * stride, written, axes);
      }
    } else {
      const float* const gradient =
          Call.variant == prelu_variant::forward ? x : floats(operands[3]);
      const index_range samples = range_of(Call.batch, context.part);
      for (std::int32_t sample = samples.begin; sample < samples.end; ++sample) {
        float* const made = written + sample * stride;
        kernels::sloped(x + sample * stride, gradient + sample * stride, slopes, made, axes);
        kernels::clear_columns(made + elements, 0, 1, static_cast<std::int32_t>(stride) - elements);
      }
    }
  }

 private:
  static constexpr kernels::sloped_axes axes_of(const prelu_call& call) {
    kernels::sloped_axes made{};
    for (std::int32_t i = 0; i < most_permuted_axes; ++i) {
      made.extents[i] = call.extents[i];
      made.strides[i] = call.strides[i];
    }
    return made;
  }

  static constexpr std::int32_t slopes_of(const kernels::sloped_axes& axes) {
    std::int32_t count = 1;
    for (std::int32_t i = 0; i < most_permuted_axes; ++i) {
      count *= axes.strides[i] == 0 ? 1 : axes.extents[i];
    }
    return count;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
