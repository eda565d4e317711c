// SPDX-License-Identifier: MIT
// Rows padded to whole vectors. Padding is zero and stays zero, so that kernels may read it.
#pragma once

#include <cstdint>

#include <ipu_dsl/layout/architecture.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout {

/// How many parts of at most `limit` cover `extent`.
constexpr std::int32_t ceiling_quotient(std::int32_t extent, std::int32_t limit) {
  return (extent + limit - 1) / limit;
}

/// `extent` rounded up to whole vectors.
constexpr std::int32_t whole_vectors(std::int32_t extent, architecture target) {
  return ceiling_quotient(extent, target.lanes) * target.lanes;
}

/// Distance of two samples in activations, `[batch][row_stride]`, in elements.
constexpr std::int32_t row_stride(std::int32_t units, architecture target = native) {
  return whole_vectors(units, target);
}

/// Distance of two units in transposed gradients, `[units][batch_stride]`, in elements.
constexpr std::int32_t batch_stride(std::int32_t batch, architecture target = native) {
  return whole_vectors(batch, target);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
