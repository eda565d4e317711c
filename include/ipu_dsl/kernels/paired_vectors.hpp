// SPDX-License-Identifier: MIT
// Two vectors that are computed alike, one step of both after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/floating_bits.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Two vectors of floats, of integers or of answers, with the operations of one. A function like
/// exp is a chain of steps that wait for each other; of two vectors in turn a processor does one
/// while the other waits. The bits are those of each alone. Pairs of pairs are four vectors.
template <typename Vector>
struct paired {
  static constexpr std::size_t size = 2 * Vector::size;

  Vector first;
  Vector second;

  paired() = default;

  IPU_DSL_ALWAYS_INLINE paired(const Vector& a, const Vector& b) : first(a), second(b) {}

  template <typename Number>
  IPU_DSL_ALWAYS_INLINE explicit paired(Number of_all) : first(of_all), second(of_all) {}

  IPU_DSL_ALWAYS_INLINE static paired load_unaligned(const float* from) {
    return {Vector::load_unaligned(from), Vector::load_unaligned(from + Vector::size)};
  }

  IPU_DSL_ALWAYS_INLINE friend paired operator+(const paired& a, const paired& b) {
    return {a.first + b.first, a.second + b.second};
  }

  IPU_DSL_ALWAYS_INLINE friend paired operator-(const paired& a, const paired& b) {
    return {a.first - b.first, a.second - b.second};
  }

  IPU_DSL_ALWAYS_INLINE friend paired operator*(const paired& a, const paired& b) {
    return {a.first * b.first, a.second * b.second};
  }

  IPU_DSL_ALWAYS_INLINE friend paired operator<<(const paired& a, std::int32_t places) {
    return {a.first << places, a.second << places};
  }

  IPU_DSL_ALWAYS_INLINE friend paired operator>>(const paired& a, std::int32_t places) {
    return {a.first >> places, a.second >> places};
  }
};

/// Answers to a comparison of pairs.
template <typename Answer>
struct paired_answers {
  Answer first;
  Answer second;
};

template <typename Vector>
IPU_DSL_ALWAYS_INLINE auto operator<(const paired<Vector>& a, const paired<Vector>& b) {
  return paired_answers<decltype(a.first < b.first)>{a.first < b.first, a.second < b.second};
}

template <typename Vector>
IPU_DSL_ALWAYS_INLINE auto operator>(const paired<Vector>& a, const paired<Vector>& b) {
  return paired_answers<decltype(a.first > b.first)>{a.first > b.first, a.second > b.second};
}

template <typename Vector>
paired<integers<Vector>> integers_beside(const paired<Vector>&);

template <typename Vector>
IPU_DSL_ALWAYS_INLINE void store(float* to, const paired<Vector>& value) {
  store(to, value.first);
  store(to + Vector::size, value.second);
}

template <typename Vector>
IPU_DSL_ALWAYS_INLINE paired<Vector> multiply_add(const paired<Vector>& a, const paired<Vector>& b,
                                                  const paired<Vector>& c) {
  return {multiply_add(a.first, b.first, c.first), multiply_add(a.second, b.second, c.second)};
}

template <typename Vector>
IPU_DSL_ALWAYS_INLINE paired<Vector> divide(const paired<Vector>& a, const paired<Vector>& b) {
  return {divide(a.first, b.first), divide(a.second, b.second)};
}

template <typename Vector>
IPU_DSL_ALWAYS_INLINE paired<Vector> maximum(const paired<Vector>& a, const paired<Vector>& b) {
  return {maximum(a.first, b.first), maximum(a.second, b.second)};
}

template <typename Vector>
IPU_DSL_ALWAYS_INLINE paired<Vector> minimum(const paired<Vector>& a, const paired<Vector>& b) {
  return {minimum(a.first, b.first), minimum(a.second, b.second)};
}

template <typename Answer, typename Vector>
IPU_DSL_ALWAYS_INLINE paired<Vector> choose(const paired_answers<Answer>& condition,
                                            const paired<Vector>& a, const paired<Vector>& b) {
  return {choose(condition.first, a.first, b.first), choose(condition.second, a.second, b.second)};
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
