// SPDX-License-Identifier: MIT
// Elements in another order of axes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Extents of what is written in order, and the stride that each axis has in what is read.
struct permuted_axes {
  std::int32_t extents[4];
  std::int32_t strides[4];
};

/// One sample: `to` in order, whose axis i steps by strides[i] through `from`.
inline void permute(const float* __restrict from, float* __restrict to,
                    const permuted_axes& by) noexcept {
  for (std::int32_t first = 0; first < by.extents[0]; ++first) {
    for (std::int32_t second = 0; second < by.extents[1]; ++second) {
      for (std::int32_t third = 0; third < by.extents[2]; ++third) {
        const float* const row = from + std::ptrdiff_t{first} * by.strides[0] +
                                 std::ptrdiff_t{second} * by.strides[1] +
                                 std::ptrdiff_t{third} * by.strides[2];
        for (std::int32_t n = 0; n < by.extents[3]; ++n) {
          to[n] = row[std::ptrdiff_t{n} * by.strides[3]];
        }
        to += by.extents[3];
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
