// SPDX-License-Identifier: MIT
// From the gradient of a dense layer's output to that of its pre-activation, in both layouts.
#pragma once

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/kernels/transpose.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How a gradient lies in memory: `[batch][row_stride(units)]`, as losses and elementwise layers
/// leave it, or `[units][batch_stride(batch)]`, as `dense_input_gradient` does.
enum class gradient_layout { batch_major, transposed };

/// d = gradient * activation'(x), from y = activation(x).
///   gradient      in `Layout`; y  [Batch][row_stride(Units)]
///   d             [Batch][row_stride(Units)], what the weight gradient reads
///   d_transposed  [Units][batch_stride(Batch)], what the input gradient reads; null if not needed
/// `Kind` is linear for an activation whose derivative needs its input: then `gradient` has been
/// multiplied by `activation_gradient_from_input` before, and `y` may be null.
template <int Batch, int Units, activation_kind Kind, gradient_layout Layout,
          layout::architecture Architecture = layout::native>
void dense_output_gradient(const float* __restrict gradient, const float* __restrict y,
                           float* __restrict d, float* __restrict d_transposed,
                           float alpha) noexcept {
  const float* batch_major = gradient;
  if constexpr (Layout == gradient_layout::transposed) {
    transpose<Architecture>(gradient, d, Units, Batch);
    batch_major = d;
  }
  if constexpr (Kind == activation_kind::softmax) {
    softmax_gradient<Architecture>(batch_major, y, d, Batch, Units);
  } else if constexpr (Kind != activation_kind::linear || Layout == gradient_layout::batch_major) {
    // Nothing reads `y` for linear, and a null pointer must not be added to.
    const float* const output = Kind == activation_kind::linear ? batch_major : y;
    activation_gradient_from_output<Kind, Architecture>(batch_major, output, d, Batch, Units,
                                                        alpha);
  }
  if (d_transposed != nullptr) {
    transpose<Architecture>(d, d_transposed, Batch, Units);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
