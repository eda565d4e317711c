// SPDX-License-Identifier: MIT
// Weights of samples, or of their positions, in losses and metrics.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/row_sum.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Whether what has this weight counts at all: what it says is not looked at otherwise, and may be
/// no number.
constexpr bool counts(float weight) {
  return weight < 0.0F || !(weight <= 0.0F);
}

/// The sum of the weights of the first `valid` samples, a mean over the positions of each.
///   weights  [batch][row_stride(positions)]
template <layout::architecture Architecture = layout::native>
double sum_of_weights(const float* weights, std::int32_t positions, std::int32_t valid) noexcept {
  const std::int32_t stride = layout::row_stride(positions, Architecture);
  double sum = 0;
  for (std::ptrdiff_t b = 0; b < valid; ++b) {
    for (std::ptrdiff_t position = 0; position < positions; ++position) {
      sum = sum + static_cast<double>(weights[b * stride + position]);
    }
  }
  return sum / positions;
}

/// `pointwise_sum` in which each position counts what its weight says: the sum over the first
/// `valid` samples of the mean over units, in float64, position after position.
///   predicted, wanted  [batch][row_stride(positions * features)]
///   weights            [batch][row_stride(positions)]
template <auto Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] double weighted_pointwise_sum(const float* predicted, const float* wanted,
                                                const float* weights, std::int32_t positions,
                                                std::int32_t features,
                                                std::int32_t valid) noexcept {
  const std::int32_t units = positions * features;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  const std::int32_t weight_stride = layout::row_stride(positions, Architecture);
  const auto add = [](const auto& sum, const auto& x, const auto& y) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return Rule.template add<arithmetic>(sum, x, y);
  };
  double sum = 0;
  for (std::ptrdiff_t b = 0; b < valid; ++b) {
    for (std::ptrdiff_t position = 0; position < positions; ++position) {
      const float weight = weights[b * weight_stride + position];
      const std::ptrdiff_t first = b * stride + position * features;
      if (counts(weight)) {
        const float said = row_sum<Architecture>(predicted + first, wanted + first, features, add);
        sum = sum + static_cast<double>(weight) * static_cast<double>(said);
      }
    }
  }
  return sum / units;
}

/// Multiplies the gradient of each position by its weight; 0 where that is 0, whatever it was.
///   gradient  [batch][row_stride(positions * features)]
///   weights   [batch][row_stride(positions)]
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void weigh_gradient(float* gradient, const float* weights, std::int32_t positions,
                                      std::int32_t features, std::int32_t valid) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(positions * features, Architecture);
  const std::int32_t weight_stride = layout::row_stride(positions, Architecture);
  for (std::ptrdiff_t b = 0; b < valid; ++b) {
    for (std::ptrdiff_t position = 0; position < positions; ++position) {
      const float weight = weights[b * weight_stride + position];
      const bool counted = counts(weight);
      float* const row = gradient + b * stride + position * features;
      std::int32_t n = 0;
      for (; n + Architecture.lanes <= features; n += Architecture.lanes) {
        store(row + n, counted ? load<lanes>(row + n) * lanes(weight) : lanes(0.0F));
      }
      for (; n < features; ++n) {
        row[n] = counted ? row[n] * weight : 0.0F;
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
