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

/// Aligned bytes of a buffer. Only rows of floats are padded.
constexpr std::int64_t bytes_of(const buffer& memory, std::int32_t batch) {
  const bool of_samples = memory.type == dtype::int32 || memory.type == dtype::uint8;
  const std::int32_t samples = batch * memory.samples;
  const std::int64_t rows = of_samples ? samples : 1;
  const bool padded = memory.type == dtype::float32;
  const std::int64_t elements = padded
                                    ? layout::padded_elements(memory.lies, memory.extents, samples)
                                    : rows * memory.extents.elements();
  return aligned(elements * bytes_of(memory.type));
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
