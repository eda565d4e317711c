// SPDX-License-Identifier: MIT
// The door to xsimd: vectors of an architecture and the operations whose bits kernels rely on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// g++ 12 takes the undefined operand inside its own AVX-512 intrinsics for a mistake (GCC bug
// 105593, seen with 12.2).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

#include <ipu_dsl/layout/architecture.hpp>

/// Without it the inliner's budget decides per translation unit whether a lambda in a register
/// tile becomes a call: the same tile ran at 97 % and at 25 % of the peak (g++ 12.2).
#define IPU_DSL_ALWAYS_INLINE [[gnu::always_inline]] inline

/// The same for a lambda, where the attribute stands behind the parameters.
#define IPU_DSL_ALWAYS_INLINE_LAMBDA __attribute__((always_inline))

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

#if XSIMD_WITH_AVX512F
using simd_instructions = xsimd::avx512f;
#elif XSIMD_WITH_FMA3_AVX2
using simd_instructions = xsimd::fma3<xsimd::avx2>;
#elif XSIMD_WITH_SSE2
using simd_instructions = xsimd::sse2;
#else
using simd_instructions = xsimd::default_arch;
#endif

/// The vector of floats of an architecture. A translation unit has one, that of its compiler flags.
template <layout::architecture Architecture>
struct vector_of {
  using type = xsimd::batch<float, simd_instructions>;
  static_assert(type::size == static_cast<std::size_t>(Architecture.lanes),
                "a kernel's architecture must be the one that the compiler flags select");
  static_assert(Architecture.fused_multiply_add == layout::native.fused_multiply_add);
};

template <layout::architecture Architecture>
using vector = typename vector_of<Architecture>::type;

/// `Vector` is `float` or a vector of them, here and below: functions written for both give the
/// same bits. No alignment is assumed.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector load(const float* from) {
  if constexpr (std::is_same_v<Vector, float>) {
    return *from;
  } else {
    return Vector::load_unaligned(from);
  }
}

IPU_DSL_ALWAYS_INLINE void store(float* to, float value) {
  *to = value;
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE void store(float* to, const xsimd::batch<float, Instructions>& value) {
  value.store_unaligned(to);
}

/// a * b + c in one rounding; in two on an architecture without the instruction. Kernels never add
/// to a product by themselves: g++ makes one rounding of it where it can, clang does not.
IPU_DSL_ALWAYS_INLINE float multiply_add(float a, float b, float c) {
  if constexpr (layout::native.fused_multiply_add) {
    return __builtin_fmaf(a, b, c);
  } else {
    // Apart, because clang rounds constants once if they stand in one expression.
    const float product = a * b;
    return product + c;
  }
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> multiply_add(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b,
    const xsimd::batch<float, Instructions>& c) {
#if XSIMD_WITH_AVX512F
  // xsimd 8.1 has no fma for AVX-512: its fallback multiplies and adds, and clang rounds twice.
  return _mm512_fmadd_ps(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

/// The larger one; `b` if either is not a number, as the instruction of x86 has it.
IPU_DSL_ALWAYS_INLINE float maximum(float a, float b) {
  return a > b ? a : b;
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> maximum(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
  return xsimd::max(a, b);
}

/// The smaller one; `b` if either is not a number.
IPU_DSL_ALWAYS_INLINE float minimum(float a, float b) {
  return a < b ? a : b;
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> minimum(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
  return xsimd::min(a, b);
}

/// `a` where the condition holds, otherwise `b`.
IPU_DSL_ALWAYS_INLINE float choose(bool condition, float a, float b) {
  return condition ? a : b;
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> choose(
    const xsimd::batch_bool<float, Instructions>& condition,
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
  return xsimd::select(condition, a, b);
}

/// A vector load that stays a load. g++ 12.2 otherwise folds it into every multiply-add that uses
/// it, and a 4 x 24 tile becomes load-bound (71 % of the peak instead of 99 %). The barrier must
/// stand on a local: on an element of an array it pins the array to the stack.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector load_once(const float* from) {
  Vector loaded = load<Vector>(from);
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+v"(loaded.data));
#endif
  return loaded;
}

/// Calls `body(std::integral_constant<int, 0>)` to `Count - 1`: a loop that is always unrolled, so
/// that an array of accumulators lives in registers.
template <int Count, typename Body>
IPU_DSL_ALWAYS_INLINE void unrolled(const Body& body) {
  [&]<int... Indices>(std::integer_sequence<int, Indices...>) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    (body(std::integral_constant<int, Indices>()), ...);
  }(std::make_integer_sequence<int, Count>());
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
