// SPDX-License-Identifier: MIT
// Sums and gradients of losses and metrics that judge one number at a time, by any rule.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The sum over a row of what its pairs add: sixteen chains, of which chain c takes the numbers
/// n % 16 = c in ascending order, then the sum of the chains in ascending order. So the bits do not
/// depend on the width of vectors.
template <typename Rule, layout::architecture Architecture>
float pointwise_row_sum(const float* predicted, const float* wanted, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t chains = 16;
  constexpr std::int32_t parts = chains / Architecture.lanes;
  lanes sums[std::size_t{parts}];
  for (lanes& each : sums) {
    each = lanes(0.0F);
  }
  const std::int32_t whole = units / chains * chains;
  for (std::int32_t n = 0; n < whole; n += chains) {
    for (std::int32_t part = 0; part < parts; ++part) {
      const std::int32_t at = n + part * Architecture.lanes;
      sums[part] = Rule::template add<arithmetic>(sums[part], load<lanes>(predicted + at),
                                                  load<lanes>(wanted + at));
    }
  }
  float chain[std::size_t{chains}];
  for (std::int32_t part = 0; part < parts; ++part) {
    store(chain + part * Architecture.lanes, sums[part]);
  }
  for (std::int32_t n = whole; n < units; ++n) {
    chain[n - whole] = Rule::template add<arithmetic>(chain[n - whole], predicted[n], wanted[n]);
  }
  float sum = 0.0F;
  for (const float each : chain) {
    sum = sum + each;
  }
  return sum;
}

/// The sum over the first `valid` samples of the mean over units of what `Rule` adds, in float64,
/// sample after sample.
///   predicted, wanted  [batch][row_stride(units)]
template <typename Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] double pointwise_sum(const float* predicted, const float* wanted,
                                       std::int32_t units, std::int32_t valid) noexcept {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  double sum = 0;
  for (std::ptrdiff_t b = 0; b < valid; ++b) {
    sum = sum + static_cast<double>(pointwise_row_sum<Rule, Architecture>(
                    predicted + b * stride, wanted + b * stride, units));
  }
  return sum / units;
}

/// `scale` times the gradient of the above by `predicted`.
///   gradient  [batch][row_stride(units)], zero from sample `valid` on; may be `predicted`
template <typename Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void pointwise_gradient(const float* predicted, const float* wanted,
                                          std::int32_t batch, std::int32_t units,
                                          std::int32_t valid, float scale,
                                          float* gradient) noexcept {
  using lanes = vector<Architecture>;
  const lanes factor(scale / static_cast<float>(units));
  for_row_vectors<Architecture>(
      gradient, valid, units, [&](std::ptrdiff_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const lanes slope =
            Rule::template slope<arithmetic>(load<lanes>(predicted + i), load<lanes>(wanted + i));
        store(gradient + i, slope * factor);
      });
  clear_rows(gradient, valid, batch, layout::row_stride(units, Architecture));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
