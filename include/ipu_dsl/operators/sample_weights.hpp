// SPDX-License-Identifier: MIT
// How losses and metrics that know nothing of weights are told of them: sample by sample.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/sample_weights.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/run_context.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a weighted sum is divided by: a loss by the samples, so that it does not matter how they
/// are cut into micro-batches, a metric by what they count.
inline double counted_samples(const weighing& how, const float* weights,
                              std::int32_t valid) noexcept {
  return how.mean_over_weights != 0 ? kernels::sum_of_weights(weights, how.positions, valid)
                                    : valid;
}

/// Calls `judge(sample, valid, weight)` for every sample of a micro-batch; `valid` is 1, or 0 if it
/// is not there or counts nothing, and then `weight` is 0.
///   weights  [batch][row_stride(1)]
template <typename Judge>
void for_weighted_samples(const float* weights, std::int32_t batch, std::int32_t valid,
                          const Judge& judge) noexcept {
  constexpr std::ptrdiff_t stride = layout::row_stride(1);
  for (std::ptrdiff_t sample = 0; sample < batch; ++sample) {
    const bool counted = sample < valid && kernels::counts(weights[sample * stride]);
    judge(sample, counted ? 1 : 0, counted ? weights[sample * stride] : 0.0F);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
