// SPDX-License-Identifier: MIT
// What layouts and register tiles need to know of the processor, as a value.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "ipu_dsl promises the same bits on every schedule and compiler: compile without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "ipu_dsl needs floats that are computed as floats: compile with -msse2 -mfpmath=sse"
#endif

// Everything whose code or data depends on the vector unit stands in an inline namespace named for
// it. Translation units compiled for different processors then share no symbol, and the linker
// never takes the code of one for the other. Nor do those with exceptions and those without.
//
// A unit without fused multiply-add is only chosen where the compiler has none either: g++ would
// make one rounding of a product and a sum.
#if defined(__cpp_exceptions)
#define IPU_DSL_FOR(unit) for_##unit
#else
#define IPU_DSL_FOR(unit) for_##unit##_without_exceptions
#endif
#if !defined(IPU_DSL_PORTABLE) && defined(__AVX512F__)
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(avx512)
#define IPU_DSL_VECTOR_UNIT 16, 32, true
#elif !defined(IPU_DSL_PORTABLE) && defined(__AVX2__) && defined(__FMA__)
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(avx2)
#define IPU_DSL_VECTOR_UNIT 8, 16, true
#elif !defined(IPU_DSL_PORTABLE) && defined(__FMA__)
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(fma3)
#define IPU_DSL_VECTOR_UNIT 4, 16, true
#elif !defined(IPU_DSL_PORTABLE) && defined(__SSE2__) && !defined(__FMA4__)
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(sse2)
#define IPU_DSL_VECTOR_UNIT 4, 16, false
#elif !defined(IPU_DSL_PORTABLE) && defined(__aarch64__)
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(neon)
#define IPU_DSL_VECTOR_UNIT 4, 32, true
#else
/// Vectors of our own that need nothing of the processor; may be defined to choose them.
#ifndef IPU_DSL_PORTABLE
#define IPU_DSL_PORTABLE
#endif
#if defined(__FMA__) || defined(__FMA4__) || defined(__aarch64__) || defined(__FP_FAST_FMAF)
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(portable_fused)
#define IPU_DSL_VECTOR_UNIT 4, 16, true
#else
#define IPU_DSL_ARCHITECTURE IPU_DSL_FOR(portable)
#define IPU_DSL_VECTOR_UNIT 4, 16, false
#endif
#endif

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace layout {

/// The vector unit of a processor.
struct architecture {
  std::int32_t lanes;       ///< floats in a vector register
  std::int32_t registers;   ///< vector registers
  bool fused_multiply_add;  ///< one rounding for a * b + c; without it the bits differ

  friend constexpr bool operator==(const architecture&, const architecture&) = default;
};

/// The architecture that this translation unit is compiled for.
inline constexpr architecture native{IPU_DSL_VECTOR_UNIT};

}  // namespace layout

/// What a user should know about the compiler's flags, as a sentence for programs to print; empty
/// where the processor's vectors and fused multiply-add are used.
constexpr std::string_view architecture_note() {
  if constexpr (!layout::native.fused_multiply_add) {
    return "Compiled without fused multiply-add: training takes several times as long, and its "
           "numbers differ in the last bits from those of programs compiled with it. On x86-64 "
           "add -march=native, or at least -mavx2 -mfma.";
  }
#ifdef IPU_DSL_PORTABLE
  return "Compiled with portable vectors: the numbers are those of every processor with fused "
         "multiply-add, training takes at least twice as long as with the processor's own.";
#else
  return {};
#endif
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
