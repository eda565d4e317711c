// SPDX-License-Identifier: MIT
// Rows of a table by number, and the sum of gradients into such rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// y[i] = table[words[i]] for `count` words, rows of `features` numbers; those of y are `stride`
/// apart, with zeros up to there.
inline void gather_rows(const float* __restrict table, const std::int32_t* __restrict words,
                        float* __restrict y, std::int32_t count, std::int32_t features,
                        std::int32_t stride) noexcept {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float* const row = table + std::ptrdiff_t{words[i]} * features;
    for (std::int32_t n = 0; n < features; ++n) {
      y[i * stride + n] = row[n];
    }
    clear_padding(y + i * stride, features, stride);
  }
}

/// table[words[i]] += d[i] in ascending order of i, for `count` words and the features in `mine`.
/// Rows of d are `stride` apart, those of the table `features`.
inline void scatter_rows(const float* __restrict d, const std::int32_t* __restrict words,
                         float* __restrict table, std::int32_t count, std::int32_t features,
                         std::int32_t stride, const index_range& mine) noexcept {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    float* const row = table + std::ptrdiff_t{words[i]} * features;
    for (std::int32_t n = mine.begin; n < mine.end; ++n) {
      row[n] = row[n] + d[i * stride + n];
    }
  }
}

/// The features in `mine` of all rows become zero.
inline void clear_features(float* table, std::int32_t rows, std::int32_t features,
                           const index_range& mine) noexcept {
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    for (std::int32_t n = mine.begin; n < mine.end; ++n) {
      table[row * features + n] = 0.0F;
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
