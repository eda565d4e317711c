// SPDX-License-Identifier: MIT
// Mean squared error with its gradient.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Adds scale * sum over the first `valid` samples of mean over units of (prediction - target)^2 to
/// `*loss`, one chain in ascending order, and writes the gradient of what was added.
///   prediction, target, gradient  [batch][row_stride(units)]; gradient null if not needed
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void mean_squared_error(const float* __restrict prediction,
                                          const float* __restrict target, std::int32_t batch,
                                          std::int32_t units, std::int32_t valid, float scale,
                                          float* __restrict loss,
                                          float* __restrict gradient) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  const float count = static_cast<float>(units);
  const lanes factor(2.0F * scale / count);
  float chain = *loss;
  for (std::int32_t b = 0; b < valid; ++b) {
    const std::ptrdiff_t first = std::ptrdiff_t{b} * stride;
    float squares = 0.0F;
    for (std::int32_t n = 0; n < units; ++n) {
      const float difference = prediction[first + n] - target[first + n];
      squares = multiply_add(difference, difference, squares);
    }
    chain = multiply_add(squares / count, scale, chain);
    if (gradient != nullptr) {
      for (std::ptrdiff_t n = first; n < first + stride; n += Architecture.lanes) {
        store(gradient + n, (load<lanes>(prediction + n) - load<lanes>(target + n)) * factor);
      }
    }
  }
  *loss = chain;
  if (gradient != nullptr) {
    clear_rows(gradient, valid, batch, stride);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
