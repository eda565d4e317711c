// SPDX-License-Identifier: MIT
// The door to xsimd: its vectors by their number of floats, and the operations whose bits kernels
// rely on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/layout/architecture.hpp>

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

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The instructions for vectors of four floats, which every processor with vectors has.
#if XSIMD_WITH_NEON64
using four_lane_instructions = xsimd::neon64;
#elif XSIMD_WITH_SSE4_2
using four_lane_instructions = xsimd::sse4_2;
#else
using four_lane_instructions = xsimd::sse2;
#endif

/// `type` is the vector of `Lanes` floats. A wide processor offers the narrower ones as well: the
/// kernels' bits do not depend on the width, and that is tested within one program.
template <std::int32_t Lanes>
struct vector_of_lanes {
  static_assert(Lanes == 0, "the compiler's flags select no processor with vectors of that width");
};

template <>
struct vector_of_lanes<4> {
  using type = xsimd::batch<float, four_lane_instructions>;
};

#if XSIMD_WITH_FMA3_AVX2
template <>
struct vector_of_lanes<8> {
  using type = xsimd::batch<float, xsimd::fma3<xsimd::avx2>>;
};
#endif

#if XSIMD_WITH_AVX512F
template <>
struct vector_of_lanes<16> {
  using type = xsimd::batch<float, xsimd::avx512f>;
};
#endif

/// The integers that have the place of a vector's floats.
template <typename Instructions>
xsimd::batch<std::int32_t, Instructions> integers_beside(const xsimd::batch<float, Instructions>&);

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE void store(float* to, const xsimd::batch<float, Instructions>& value) {
  value.store_unaligned(to);
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> multiply_add(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b,
    const xsimd::batch<float, Instructions>& c) {
#if XSIMD_WITH_AVX512F
  // xsimd 8.1 has no fma for AVX-512: its fallback multiplies and adds, and clang rounds twice.
  if constexpr (xsimd::batch<float, Instructions>::size == 16) {
    return _mm512_fmadd_ps(a, b, c);
  }
#endif
#ifdef __FMA__
  // Nor has it one for vectors of four where AVX is on (XSIMD_WITH_FMA3_SSE is 0 then).
  if constexpr (xsimd::batch<float, Instructions>::size == 4) {
    return _mm_fmadd_ps(a, b, c);
  }
#endif
  return xsimd::fma(a, b, c);
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> divide(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
#if XSIMD_WITH_NEON64
  // xsimd 8.1 refines an estimate of 1 / b, which is an ulp off.
  return vdivq_f32(a, b);
#else
  return a / b;
#endif
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> square_root(
    const xsimd::batch<float, Instructions>& a) {
  return xsimd::sqrt(a);
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> maximum(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
#if XSIMD_WITH_NEON64
  // The instruction of NEON prefers what is not a number, and the positive one of two zeros.
  return xsimd::select(a > b, a, b);
#else
  return (xsimd::max)(a, b);
#endif
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> minimum(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
#if XSIMD_WITH_NEON64
  return xsimd::select(a < b, a, b);
#else
  return (xsimd::min)(a, b);
#endif
}

template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> choose(
    const xsimd::batch_bool<float, Instructions>& condition,
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
  return xsimd::select(condition, a, b);
}

/// a b a b ... of two numbers that lie beside each other: one load.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector pair_in_turn(const float* from) {
  double both;
  std::memcpy(&both, from, sizeof(both));
  return xsimd::bitwise_cast<Vector>(xsimd::batch<double, typename Vector::arch_type>(both));
}

/// a0 b0 a1 b1 of the first halves of two vectors of four; of more, the same of each four.
template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> interleave_low(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
#if XSIMD_WITH_AVX512F
  if constexpr (xsimd::batch<float, Instructions>::size == 16) {
    return _mm512_unpacklo_ps(a, b);
  } else
#endif
#if XSIMD_WITH_AVX
      if constexpr (xsimd::batch<float, Instructions>::size == 8) {
    return _mm256_unpacklo_ps(a, b);
  } else
#endif
  {
    return xsimd::zip_lo(a, b);
  }
}

/// a2 b2 a3 b3 of the second halves.
template <typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> interleave_high(
    const xsimd::batch<float, Instructions>& a, const xsimd::batch<float, Instructions>& b) {
#if XSIMD_WITH_AVX512F
  if constexpr (xsimd::batch<float, Instructions>::size == 16) {
    return _mm512_unpackhi_ps(a, b);
  } else
#endif
#if XSIMD_WITH_AVX
      if constexpr (xsimd::batch<float, Instructions>::size == 8) {
    return _mm256_unpackhi_ps(a, b);
  } else
#endif
  {
    return xsimd::zip_hi(a, b);
  }
}

#if XSIMD_WITH_AVX
/// Two vectors of four as one of eight.
template <typename Instructions>
IPU_DSL_ALWAYS_INLINE typename vector_of_lanes<8>::type side_by_side(
    const xsimd::batch<float, Instructions>& first,
    const xsimd::batch<float, Instructions>& second) {
  return _mm256_set_m128(second, first);
}

/// Four lanes of a vector of eight, from 4 * `Place` on.
template <std::int32_t Place>
IPU_DSL_ALWAYS_INLINE typename vector_of_lanes<4>::type quad_of(
    const typename vector_of_lanes<8>::type& value) {
  return _mm256_extractf128_ps(value, Place);
}
#endif

#if XSIMD_WITH_AVX512F
/// Four vectors of four as one of sixteen. Where they are loaded for it, no shuffle is taken.
template <typename Quad>
IPU_DSL_ALWAYS_INLINE typename vector_of_lanes<16>::type side_by_side(const Quad& first,
                                                                      const Quad& second,
                                                                      const Quad& third,
                                                                      const Quad& fourth) {
  const __m512 two = _mm512_insertf32x4(_mm512_castps128_ps512(first), second, 1);
  return _mm512_insertf32x4(_mm512_insertf32x4(two, third, 2), fourth, 3);
}

/// Four lanes of a vector of sixteen, from 4 * `Place` on.
template <std::int32_t Place>
IPU_DSL_ALWAYS_INLINE typename vector_of_lanes<4>::type quad_of(
    const typename vector_of_lanes<16>::type& value) {
  return _mm512_extractf32x4_ps(value, Place);
}

/// a * b + c in the lanes whose bit is set, elsewhere c.
IPU_DSL_ALWAYS_INLINE typename vector_of_lanes<16>::type masked_multiply_add(
    std::uint32_t bits, const typename vector_of_lanes<16>::type& a,
    const typename vector_of_lanes<16>::type& b, const typename vector_of_lanes<16>::type& c) {
  return _mm512_mask3_fmadd_ps(a, b, c, static_cast<__mmask16>(bits));
}

/// Four lanes of a vector of sixteen, from `Place` on, and behind them those of another; zeros in
/// the second half.
template <std::int32_t Place>
IPU_DSL_ALWAYS_INLINE typename vector_of_lanes<16>::type join_quads(
    const typename vector_of_lanes<16>::type& first,
    const typename vector_of_lanes<16>::type& second) {
  constexpr int other = 16 + Place;
  const __m512i lanes = _mm512_setr_epi32(Place, Place + 1, Place + 2, Place + 3, other, other + 1,
                                          other + 2, other + 3, 0, 0, 0, 0, 0, 0, 0, 0);
  return _mm512_maskz_permutex2var_ps(0xFF, first, lanes, second);
}
#endif

/// a a b b ... of the first half of a vector.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector each_twice(const float* from) {
  const Vector all = Vector::load_unaligned(from);
#if XSIMD_WITH_AVX512F
  if constexpr (Vector::size == 16) {
    const __m512i places = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_ps(places, all);
  }
#endif
#if XSIMD_WITH_FMA3_AVX2
  if constexpr (Vector::size == 8) {
    return _mm256_permutevar8x32_ps(all, _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0));
  }
#endif
  if constexpr (Vector::size == 4) {
    return interleave_low(all, all);
  }
}

/// The same for the lanes of a vector by their numbers.
template <std::int32_t Size, std::int32_t Place, typename Vector, std::size_t... Lanes>
IPU_DSL_ALWAYS_INLINE Vector repeat_in_groups(const Vector& given, std::index_sequence<Lanes...>) {
  return __builtin_shufflevector(given.data, given.data, (Lanes / Size * Size + Place)...);
}

/// Number `Place` of each group of `Size` lanes, 2 or 4, in all lanes of it.
template <std::int32_t Size, std::int32_t Place, typename Instructions>
IPU_DSL_ALWAYS_INLINE xsimd::batch<float, Instructions> repeat_in_groups(
    const xsimd::batch<float, Instructions>& given) {
  using lanes = std::make_index_sequence<xsimd::batch<float, Instructions>::size>;
  return repeat_in_groups<Size, Place>(given, lanes());
}

/// Hides from the optimiser where the value comes from; see `load_once`.
template <typename Instructions>
IPU_DSL_ALWAYS_INLINE void keep_in_register(
    [[maybe_unused]] xsimd::batch<float, Instructions>& value) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+v"(value.data));
#endif
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
