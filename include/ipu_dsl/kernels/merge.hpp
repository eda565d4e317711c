// SPDX-License-Identifier: MIT
// One tensor of several, number by number, and what each of them has of its gradient.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

struct subtracted {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector left, Vector right) {
    return left - right;
  }
};

struct multiplied {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector left, Vector right) {
    return left * right;
  }
};

struct added {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector left, Vector right) {
    return left + right;
  }
};

/// `value`, unless `seen` is not a number: that passes.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector unless_unknown(Vector value, Vector seen) {
  return choose(seen == seen, value, seen);
}

struct larger {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector left, Vector right) {
    return unless_unknown(choose(right > left, right, left), right);
  }
};

struct smaller {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector left, Vector right) {
    return unless_unknown(choose(right < left, right, left), right);
  }
};

/// result = ((terms[0] . terms[1]) . terms[2]) ..., one chain an element in that order, divided by
/// `divisor`; every tensor has `elements` elements, whole vectors.
template <typename Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void merge_tensors(const float* const* terms, std::int32_t count, float divisor,
                                     float* result, std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    prefetch_for_writing<Architecture.lanes>(result + i, shared_floats_ahead);
    lanes merged = load<lanes>(terms[0] + i);
    for (std::int32_t term = 1; term < count; ++term) {
      merged = Rule::joined(merged, load<lanes>(terms[term] + i));
    }
    store(result + i, divisor == 1.0F ? merged : divide(merged, lanes(divisor)));
  }
}

/// y = -x over `elements` elements, whole vectors; of zero it is zero, so that padding stays.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void negate_tensor(const float* x, float* y, std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    store(y + i, lanes(0.0F) - load<lanes>(x + i));
  }
}

/// The gradient where terms[which] is the first that `Rule` chooses of `count`, otherwise zero.
template <typename Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void gradient_to_chosen(const float* gradient, const float* const* terms,
                                          std::int32_t count, std::int32_t which, float* result,
                                          std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  const lanes zero(0.0F);
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    lanes best = load<lanes>(terms[0] + i);
    for (std::int32_t term = 1; term < count; ++term) {
      best = Rule::joined(best, load<lanes>(terms[term] + i));
    }
    lanes given = choose(load<lanes>(terms[which] + i) == best, load<lanes>(gradient + i), zero);
    for (std::int32_t earlier = 0; earlier < which; ++earlier) {
      given = choose(load<lanes>(terms[earlier] + i) == best, zero, given);
    }
    store(result + i, unless_unknown(given, best));
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
