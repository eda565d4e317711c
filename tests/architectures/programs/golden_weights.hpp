// SPDX-License-Identifier: MIT
// The fingerprints that the small training ends in. There are two: of all architectures with fused
// multiply-add, and of all without. Written by golden_weights.py; a change of either is a change of
// every number that the library computes.
#pragma once

#include <cinttypes>
#include <cstdio>

#include "architectures/programs/trained_weights.hpp"

namespace ipu_dsl::tests {

inline constexpr std::uint64_t golden_fused = 0xf7f306f58f760b41U;
inline constexpr std::uint64_t golden_unfused = 0x08069a3e99cd7c92U;

/// Whether a training ended in the weights of its kind of architecture; says what it saw.
inline bool is_golden(const char* architecture, const training_outcome& found) {
  const std::uint64_t golden = found.fused_multiply_add ? golden_fused : golden_unfused;
  const bool same = found.weights == golden;
  std::printf("%s: weights %016" PRIx64 ", golden %016" PRIx64 ": %s\n", architecture,
              found.weights, golden, same ? "the same" : "DIFFERENT");
  return same;
}

}  // namespace ipu_dsl::tests
