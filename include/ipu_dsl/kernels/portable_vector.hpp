// SPDX-License-Identifier: MIT
// Vectors of four that need no xsimd and nothing of the processor. The compilers' own vectors make
// of them what a processor has, and four scalars where it has nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/layout/architecture.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What is wrong with a rule that asks vectors for one answer.
template <typename One>
struct single_answer_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("Math::choose(a > b, one, other)", "an if, a > b ? one : other, or std::max",
               "a rule computes with vectors, of whose numbers some may be larger and "
               "some not: Math::maximum, Math::minimum");
    found.where = "a rule of vectors";
    return found;
  }

  static constexpr problem value = find();
};

/// Four answers: all bits of an element are set where a comparison holds.
struct portable_mask {
  std::int32_t data __attribute__((vector_size(16)));

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator&(portable_mask a, portable_mask b) {
    return {a.data & b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator|(portable_mask a, portable_mask b) {
    return {a.data | b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator&&(portable_mask a, portable_mask b) {
    return a & b;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator||(portable_mask a, portable_mask b) {
    return a | b;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator!(portable_mask a) { return {~a.data}; }

  /// Refused with a sentence: `if (predicted > wanted)` in a rule, which knows one answer only. The
  /// masks of AVX-512 would let it pass.
  template <std::same_as<bool> One>
  operator One() const {
    static_assert(diagnose<single_answer_fault_of<One>>());
    return false;
  }
};

/// Four floats, or four 32-bit integers, with the operations of kernels element by element.
template <typename Element>
struct portable_vector {
  static constexpr std::size_t size = 4;

  Element data __attribute__((vector_size(size * sizeof(Element))));

  portable_vector() = default;

  IPU_DSL_ALWAYS_INLINE portable_vector(Element value) : data{value, value, value, value} {}

  IPU_DSL_ALWAYS_INLINE static portable_vector load_unaligned(const Element* from) {
    portable_vector loaded;
    std::memcpy(&loaded.data, from, sizeof(loaded.data));
    return loaded;
  }

  IPU_DSL_ALWAYS_INLINE void store_unaligned(Element* to) const {
    std::memcpy(to, &data, sizeof(data));
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator+(portable_vector a, portable_vector b) {
    a.data = a.data + b.data;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator-(portable_vector a, portable_vector b) {
    a.data = a.data - b.data;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator*(portable_vector a, portable_vector b) {
    a.data = a.data * b.data;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator/(portable_vector a, portable_vector b) {
    a.data = a.data / b.data;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator-(portable_vector a) {
    a.data = -a.data;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE portable_vector& operator+=(portable_vector other) {
    return *this = *this + other;
  }

  IPU_DSL_ALWAYS_INLINE portable_vector& operator-=(portable_vector other) {
    return *this = *this - other;
  }

  IPU_DSL_ALWAYS_INLINE portable_vector& operator*=(portable_vector other) {
    return *this = *this * other;
  }

  IPU_DSL_ALWAYS_INLINE portable_vector& operator/=(portable_vector other) {
    return *this = *this / other;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator<<(portable_vector a, std::int32_t places) {
    a.data = a.data << places;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_vector operator>>(portable_vector a, std::int32_t places) {
    a.data = a.data >> places;
    return a;
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator<(portable_vector a, portable_vector b) {
    return {a.data < b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator>(portable_vector a, portable_vector b) {
    return {a.data > b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator<=(portable_vector a, portable_vector b) {
    return {a.data <= b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator>=(portable_vector a, portable_vector b) {
    return {a.data >= b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator==(portable_vector a, portable_vector b) {
    return {a.data == b.data};
  }

  IPU_DSL_ALWAYS_INLINE friend portable_mask operator!=(portable_vector a, portable_vector b) {
    return {a.data != b.data};
  }
};

using portable_floats = portable_vector<float>;

/// The integers that have the place of a vector's floats.
portable_vector<std::int32_t> integers_beside(const portable_floats&);

IPU_DSL_ALWAYS_INLINE void store(float* to, portable_floats value) {
  value.store_unaligned(to);
}

/// One rounding where the compiler has an instruction for it, otherwise two.
IPU_DSL_ALWAYS_INLINE portable_floats multiply_add(portable_floats a, portable_floats b,
                                                   portable_floats c) {
  if constexpr (layout::native.fused_multiply_add) {
    for (std::size_t i = 0; i < portable_floats::size; ++i) {
      c.data[i] = __builtin_fmaf(a.data[i], b.data[i], c.data[i]);
    }
    return c;
  } else {
    return a * b + c;
  }
}

IPU_DSL_ALWAYS_INLINE portable_floats divide(portable_floats a, portable_floats b) {
  return a / b;
}

IPU_DSL_ALWAYS_INLINE portable_floats square_root(portable_floats a) {
  for (std::size_t i = 0; i < portable_floats::size; ++i) {
    a.data[i] = __builtin_sqrtf(a.data[i]);
  }
  return a;
}

IPU_DSL_ALWAYS_INLINE portable_floats choose(portable_mask condition, portable_floats a,
                                             portable_floats b) {
  a.data = condition.data ? a.data : b.data;
  return a;
}

IPU_DSL_ALWAYS_INLINE portable_floats maximum(portable_floats a, portable_floats b) {
  return choose(a > b, a, b);
}

IPU_DSL_ALWAYS_INLINE portable_floats minimum(portable_floats a, portable_floats b) {
  return choose(a < b, a, b);
}

/// a b a b of two numbers that lie beside each other.
template <std::same_as<portable_floats> Vector>
IPU_DSL_ALWAYS_INLINE Vector pair_in_turn(const float* from) {
  const float elements[] = {from[0], from[1], from[0], from[1]};
  return Vector::load_unaligned(elements);
}

/// a a b b of the first half of a vector.
template <std::same_as<portable_floats> Vector>
IPU_DSL_ALWAYS_INLINE Vector each_twice(const float* from) {
  const float elements[] = {from[0], from[0], from[1], from[1]};
  return Vector::load_unaligned(elements);
}

/// a0 b0 a1 b1.
IPU_DSL_ALWAYS_INLINE portable_floats interleave_low(portable_floats a, portable_floats b) {
  const float elements[] = {a.data[0], b.data[0], a.data[1], b.data[1]};
  return portable_floats::load_unaligned(elements);
}

/// a2 b2 a3 b3.
IPU_DSL_ALWAYS_INLINE portable_floats interleave_high(portable_floats a, portable_floats b) {
  const float elements[] = {a.data[2], b.data[2], a.data[3], b.data[3]};
  return portable_floats::load_unaligned(elements);
}

/// Number `Place` of each group of `Size` lanes, 2 or 4, in all lanes of it.
template <std::int32_t Size, std::int32_t Place>
IPU_DSL_ALWAYS_INLINE portable_floats repeat_in_groups(portable_floats given) {
  const float elements[] = {given.data[Place], given.data[Place], given.data[4 - Size + Place],
                            given.data[4 - Size + Place]};
  return portable_floats::load_unaligned(elements);
}

/// Hides from the optimiser where the value comes from, where it must; see `load_once`.
IPU_DSL_ALWAYS_INLINE void keep_in_register(portable_floats&) {}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
