// SPDX-License-Identifier: MIT
// One table added to the positions of every sample, and the gradient of the table.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// y = x + table of the rows in `mine`, row r being position r % positions of its sample. Rows of x
/// and y are padded to whole vectors, those of the table [positions][features] are not.
inline void add_positions(const float* __restrict x, const float* __restrict table,
                          float* __restrict y, std::int32_t positions, std::int32_t features,
                          const index_range& mine) noexcept {
  const std::ptrdiff_t stride = layout::row_stride(features);
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const float* const added = table + std::ptrdiff_t{row % positions} * features;
    const float* const read = x + row * stride;
    float* const written = y + row * stride;
    for (std::int32_t n = 0; n < features; ++n) {
      written[n] = read[n] + added[n];
    }
    clear_padding(written, features, static_cast<std::int32_t>(stride));
  }
}

/// table += the sum of d over samples, in ascending order, of the positions in `mine`; from zero if
/// it does not continue.
inline void sum_positions(const float* __restrict d, float* __restrict table, std::int32_t samples,
                          std::int32_t positions, std::int32_t features, bool continues,
                          const index_range& mine) noexcept {
  const std::ptrdiff_t stride = layout::row_stride(features);
  for (std::int32_t position = mine.begin; position < mine.end; ++position) {
    float* const row = table + std::ptrdiff_t{position} * features;
    for (std::int32_t n = 0; n < features && !continues; ++n) {
      row[n] = 0.0F;
    }
    for (std::ptrdiff_t sample = 0; sample < samples; ++sample) {
      const float* const added = d + (sample * positions + position) * stride;
      for (std::int32_t n = 0; n < features; ++n) {
        row[n] = row[n] + added[n];
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
