// SPDX-License-Identifier: MIT
// Bytes of a buffer.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/layout/storage_size.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Buffers start at multiples of a cache line; no kernel relies on it.
inline constexpr std::int64_t buffer_alignment = 64;

constexpr std::int64_t aligned(std::int64_t bytes) {
  return (bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

/// Aligned bytes of a buffer. Labels are one number a sample, without padding between them.
constexpr std::int64_t bytes_of(const buffer& memory, std::int32_t batch) {
  const bool labels = memory.type == dtype::int32;
  const std::int64_t elements = labels
                                    ? batch * memory.extents.elements()
                                    : layout::padded_elements(memory.lies, memory.extents, batch);
  return aligned(elements * bytes_of(memory.type));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
