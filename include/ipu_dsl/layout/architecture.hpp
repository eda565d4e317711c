// SPDX-License-Identifier: MIT
// What layouts and register tiles need to know of the processor, as a value.
#pragma once

#include <cstdint>

#ifdef __FAST_MATH__
#error "ipu_dsl promises the same bits on every schedule and compiler: compile without -ffast-math"
#endif

// Everything whose code or data depends on the vector unit stands in an inline namespace named for
// it. Translation units compiled for different processors then share no symbol, and the linker
// never takes the code of one for the other.
#if defined(__AVX512F__)
#define IPU_DSL_ARCHITECTURE avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define IPU_DSL_ARCHITECTURE avx2
#elif defined(__SSE2__)
#define IPU_DSL_ARCHITECTURE sse2
#elif defined(__aarch64__)
#define IPU_DSL_ARCHITECTURE neon
#else
#define IPU_DSL_ARCHITECTURE portable
#endif

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout {

/// The vector unit of a processor.
struct architecture {
  std::int32_t lanes;       ///< floats in a vector register
  std::int32_t registers;   ///< vector registers
  bool fused_multiply_add;  ///< one rounding for a * b + c; without it the bits differ

  friend constexpr bool operator==(const architecture&, const architecture&) = default;
};

/// The architecture that this translation unit is compiled for.
#if defined(__AVX512F__)
inline constexpr architecture native{16, 32, true};
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr architecture native{8, 16, true};
#elif defined(__SSE2__)
inline constexpr architecture native{4, 16, false};
#elif defined(__aarch64__)
inline constexpr architecture native{4, 32, true};
#else
inline constexpr architecture native{4, 16, false};
#endif

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
