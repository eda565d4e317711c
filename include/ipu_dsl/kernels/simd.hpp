// SPDX-License-Identifier: MIT
// Vectors of an architecture, and the operations that floats and vectors of them have alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/kernels/portable_vector.hpp>
#include <ipu_dsl/layout/architecture.hpp>
#ifndef IPU_DSL_PORTABLE
#include <ipu_dsl/kernels/xsimd_vector.hpp>
#endif

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

#ifdef IPU_DSL_PORTABLE
/// `type` is the vector of `Lanes` floats.
template <std::int32_t Lanes>
struct vector_of_lanes {
  static_assert(Lanes == 4, "portable vectors have four floats");
  using type = portable_floats;
};
#endif

/// The vector of floats of an architecture. A translation unit has that of its compiler flags and
/// narrower ones, all with as many roundings in a multiply-add.
template <layout::architecture Architecture>
struct vector_of {
  static_assert(Architecture.fused_multiply_add == layout::native.fused_multiply_add,
                "a kernel rounds as the compiler flags have it");
  using type = typename vector_of_lanes<Architecture.lanes>::type;
  static_assert(type::size == static_cast<std::size_t>(Architecture.lanes));
};

template <layout::architecture Architecture>
using vector = typename vector_of<Architecture>::type;

/// Whether what a comparison of the native vectors makes passes for a single answer: those of
/// AVX-512 are numbers. There the rules of losses, metrics and optimizers are compiled for other
/// vectors as well, of which an `if` is refused as everywhere else.
inline constexpr bool masks_are_numbers =
    std::is_convertible_v<decltype(vector<layout::native>(0.0F) < vector<layout::native>(0.0F)),
                          bool>;

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

/// a / b, rounded once. Kernels do not write `/` between vectors: xsimd approximates it on NEON.
IPU_DSL_ALWAYS_INLINE float divide(float a, float b) {
  return a / b;
}

/// Rounded once, as every processor does it.
IPU_DSL_ALWAYS_INLINE float square_root(float a) {
  return __builtin_sqrtf(a);
}

/// The larger one; `b` if either is not a number or both are zero, as the x86 instruction has it.
IPU_DSL_ALWAYS_INLINE float maximum(float a, float b) {
  return a > b ? a : b;
}

/// The smaller one; `b` if either is not a number or both are zero.
IPU_DSL_ALWAYS_INLINE float minimum(float a, float b) {
  return a < b ? a : b;
}

/// `a` where the condition holds, otherwise `b`.
IPU_DSL_ALWAYS_INLINE float choose(bool condition, float a, float b) {
  return condition ? a : b;
}

/// |x|; zero for both zeros.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector magnitude(Vector x) {
  return maximum(Vector(0.0F) - x, x);
}

/// 1 above zero, -1 below it; zeros and what is not a number stay what they are. Not `sign`, which
/// xsimd has as well.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector sign_of(Vector x) {
  const Vector zero(0.0F);
  return choose(x > zero, Vector(1.0F), choose(x < zero, Vector(-1.0F), x));
}

/// The integer that has the place of a float.
std::int32_t integers_beside(float);

/// The first `count` lanes, zeros behind them: what a row's padding holds.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector first_lanes(const Vector& given, std::int32_t count) {
  alignas(64) static constexpr float lane[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                               8, 9, 10, 11, 12, 13, 14, 15};
  static_assert(Vector::size <= std::size(lane));
  const Vector zero(0.0F);
  return choose(load<Vector>(lane) < Vector(static_cast<float>(count)), given, zero);
}

/// A vector load that stays a load. g++ 12.2 otherwise folds it into every multiply-add that uses
/// it, and a 4 x 24 tile becomes load-bound (71 % of the peak instead of 99 %). The barrier must
/// stand on a local: on an element of an array it pins the array to the stack.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector load_once(const float* from) {
  Vector loaded = load<Vector>(from);
  keep_in_register(loaded);
  return loaded;
}

/// The first `count` floats of a vector, all of them if there are more; zeros behind them.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector load_some(const float* from, std::int32_t count) {
  constexpr auto lanes = static_cast<std::int32_t>(Vector::size);
  if (count >= lanes) {
    return load<Vector>(from);
  }
  float floats[Vector::size] = {};
  for (std::int32_t i = 0; i < count; ++i) {
    floats[i] = from[i];
  }
  return load<Vector>(floats);
}

/// Writes them, and nothing behind them.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE void store_some(float* to, const Vector& given, std::int32_t count) {
  constexpr auto lanes = static_cast<std::int32_t>(Vector::size);
  if (count >= lanes) {
    store(to, given);
    return;
  }
  float floats[Vector::size];
  store(floats, given);
  for (std::int32_t i = 0; i < count; ++i) {
    to[i] = floats[i];
  }
}

/// Number `place` of each group of `Size` lanes, 2 or 4, in all lanes of it; a constant, once all
/// around it is unrolled.
template <std::int32_t Size, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector repeat_in_groups(const Vector& given, std::int32_t place) {
  static_assert(Size == 2 || Size == 4);
  switch (place) {
    case 0:
      return repeat_in_groups<Size, 0>(given);
    case 1:
      return repeat_in_groups<Size, 1>(given);
    case 2:
      return repeat_in_groups < Size, Size == 4 ? 2 : 1 > (given);
    default:
      return repeat_in_groups<Size, Size - 1>(given);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
