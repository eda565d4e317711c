// SPDX-License-Identifier: MIT
// Code of the accuracy of class scores.
#pragma once

#include <cstdint>

#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&accuracy_family> {
  using key = accuracy_call;

  template <accuracy_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    double* const result = doubles(operands[0]);
    const std::int32_t valid = context.valid_samples();
    result[0] =
        kernels::count_hits(floats(operands[1]), integers(operands[2]), Call.classes, valid);
    result[1] = valid;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
