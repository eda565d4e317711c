// SPDX-License-Identifier: MIT
// Sums and gradients of losses and metrics that judge one number at a time, by any rule.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/row_sum.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The sum over the first `valid` samples of the mean over units of what `Rule` adds, in float64,
/// sample after sample.
///   predicted, wanted  [batch][row_stride(units)]
template <auto Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] double pointwise_sum(const float* predicted, const float* wanted,
                                       std::int32_t units, std::int32_t valid) noexcept {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  const auto add = [](const auto& sum, const auto& x, const auto& y) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return Rule.template add<arithmetic>(sum, x, y);
  };
  double sum = 0;
  for (std::ptrdiff_t b = 0; b < valid; ++b) {
    sum = sum + static_cast<double>(
                    row_sum<Architecture>(predicted + b * stride, wanted + b * stride, units, add));
  }
  return sum / units;
}

/// `scale` times the gradient of the above by `predicted`.
///   gradient  [batch][row_stride(units)], zero from sample `valid` on; may be `predicted`
template <auto Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void pointwise_gradient(const float* predicted, const float* wanted,
                                          std::int32_t batch, std::int32_t units,
                                          std::int32_t valid, float scale,
                                          float* gradient) noexcept {
  using lanes = vector<Architecture>;
  const lanes factor(scale / static_cast<float>(units));
  for_row_vectors<Architecture>(
      gradient, valid, units, [&]<typename Vectors>(std::ptrdiff_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const Vectors slope = Rule.template slope<arithmetic>(load<Vectors>(predicted + i),
                                                              load<Vectors>(wanted + i));
        store(gradient + i, slope * factor);
      });
  clear_rows(gradient, valid, batch, layout::row_stride(units, Architecture));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
