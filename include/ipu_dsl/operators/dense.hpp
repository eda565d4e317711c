// SPDX-License-Identifier: MIT
// Dense: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&dense_family> {
  template <call_signature Signature>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr int batch = Signature.extents[0];
    constexpr int inputs = Signature.extents[1];
    constexpr int units = Signature.extents[2];
    constexpr auto kind = static_cast<activation_kind>(Signature.extents[3]);
    constexpr bool has_bias = Signature.extents[4] != 0;
    constexpr bool by_unit = Signature.extents[5] != 0;
    constexpr auto variant = static_cast<dense_variant>(Signature.variant);
    if constexpr (variant == dense_variant::forward) {
      const float* bias = has_bias ? floats(operands[3]) : nullptr;
      kernels::dense_forward<batch, inputs, units, kind>(floats(operands[1]), floats(operands[2]),
                                                         bias, floats(operands[0]), scalars[0]);
    } else if constexpr (variant == dense_variant::output_gradient) {
      constexpr auto lies =
          by_unit ? kernels::gradient_layout::transposed : kernels::gradient_layout::batch_major;
      const float* y = kind == activation_kind::linear ? nullptr : floats(operands[3]);
      kernels::dense_output_gradient<batch, units, kind, lies>(
          floats(operands[2]), y, floats(operands[0]), floats(operands[1]), scalars[0]);
    } else if constexpr (variant == dense_variant::input_gradient) {
      static_assert(by_unit, "ipu_dsl: Dense writes its input's gradient by unit");
      kernels::dense_input_gradient<batch, inputs, units>(floats(operands[1]), floats(operands[2]),
                                                          floats(operands[0]));
    } else {
      constexpr int read = has_bias ? 2 : 1;
      float* bias = has_bias ? floats(operands[1]) : nullptr;
      kernels::dense_weight_gradient<batch, inputs, units>(
          floats(operands[read]), floats(operands[read + 1]), floats(operands[0]), bias,
          context.continues);
    }
  }
};

/// From rows to columns or back. Extents: {rows of what is read, its columns}.
template <>
struct operators<&transpose_family> {
  template <call_signature Signature>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    kernels::transpose(floats(operands[1]), floats(operands[0]), Signature.extents[0],
                       Signature.extents[1]);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
