// SPDX-License-Identifier: MIT
// Code of the accuracy of class scores.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/sample_weights.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&accuracy_family> {
  using key = accuracy_call;

  template <accuracy_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    double* const result = doubles(operands[0]);
    const float* const scores = floats(operands[1]);
    const std::int32_t* const labels = integers(operands[2]);
    const std::int32_t valid = context.valid_samples();
    if constexpr (Call.weights.weighs()) {
      constexpr std::ptrdiff_t stride = layout::row_stride(Call.classes);
      const float* const weights = floats(operands[3]);
      double hits = 0;
      for_weighted_samples(
          weights, Call.batch, valid, [&](std::ptrdiff_t b, std::int32_t counted, float weight) {
            hits = hits + static_cast<double>(weight) * kernels::count_hits(scores + b * stride,
                                                                            labels + b,
                                                                            Call.classes, counted);
          });
      result[0] = hits;
      result[1] = counted_samples(Call.weights, weights, valid);
    } else {
      result[0] = kernels::count_hits(scores, labels, Call.classes, valid);
      result[1] = valid;
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
