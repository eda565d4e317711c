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
    constexpr std::ptrdiff_t stride = layout::row_stride(Call.classes);
    double* const result = doubles(operands[0]);
    const float* const scores = floats(operands[1]);
    const std::int32_t* const labels = integers(operands[2]);
    const float* const weights = Call.weights.weighs() ? floats(operands[3]) : nullptr;
    const std::int32_t valid = context.valid_samples();
    double hits = 0;
    for_alike_rows<Call.weights, Call.positions>(
        weights, Call.batch, valid, [&](const alike_rows& part) {
          hits = hits + static_cast<double>(part.weight) *
                            kernels::count_hits(scores + part.first * stride, labels + part.first,
                                                Call.classes, part.valid);
        });
    result[0] = hits / Call.positions;
    result[1] = counted_samples(Call.weights, weights, valid);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
