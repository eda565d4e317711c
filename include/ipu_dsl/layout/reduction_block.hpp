// SPDX-License-Identifier: MIT
// How long a stretch of a reduction stays in the first-level cache while a panel is multiplied.
#pragma once

#include <cstdint>

#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout {

/// Bytes of a panel that are read again and again from the first-level cache. Smaller ones than
/// those of today (32 to 48 KB), since the rows of the other operand pass through it as well.
inline constexpr std::int32_t panel_block_bytes = 28 * 1024;

/// In how long stretches a reduction over `inputs` is cut, for panels `width` columns wide: all
/// rows of the batch meet one stretch before the next is read. 784 inputs and 24 columns, 73 KB,
/// become three of 262: 118 us instead of 122 (AVX2, 48 KB of cache, batch 32).
constexpr std::int32_t reduction_block(std::int32_t inputs, std::int32_t width) {
  const std::int32_t most = panel_block_bytes / (4 * width);
  return ceiling_quotient(inputs, ceiling_quotient(inputs, most));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
