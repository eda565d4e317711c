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
  return how.weighs() && how.mean_over_weights != 0
             ? kernels::sum_of_weights(weights, how.positions, valid)
             : valid;
}

/// Rows beside each other that count alike: of a micro-batch, of one sample, or one position.
struct alike_rows {
  std::ptrdiff_t first = 0;  ///< among the rows of the micro-batch
  std::int32_t rows = 0;
  std::int32_t valid =
      0;             ///< all of them; fewer if samples are not there, none that counts nothing
  float weight = 1;  ///< 0 of such
};

/// Calls `judge(alike_rows)` for all rows of a micro-batch, in ascending order, where each sample
/// has `Positions` of them. Where rows and samples are one and count alike, that is one call.
///   weights  [batch][row_stride(positions that have one)]; not read where there are none
template <weighing How, std::int32_t Positions, typename Judge>
void for_alike_rows(const float* weights, std::int32_t batch, std::int32_t valid,
                    const Judge& judge) noexcept {
  if constexpr (How.weighs()) {
    constexpr std::ptrdiff_t stride = layout::row_stride(How.positions);
    constexpr std::int32_t rows = Positions / How.positions;
    for (std::ptrdiff_t part = 0; part < std::ptrdiff_t{batch} * How.positions; ++part) {
      const std::ptrdiff_t sample = part / How.positions;
      const float weight = weights[sample * stride + part % How.positions];
      const bool counted = sample < valid && kernels::counts(weight);
      judge(alike_rows{part * rows, rows, counted ? rows : 0, counted ? weight : 0.0F});
    }
  } else if constexpr (Positions > 1) {
    for (std::ptrdiff_t sample = 0; sample < batch; ++sample) {
      judge(alike_rows{sample * Positions, Positions, sample < valid ? Positions : 0, 1.0F});
    }
  } else {
    judge(alike_rows{0, batch, valid, 1.0F});
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
