// SPDX-License-Identifier: MIT
// Sums, scaling and copies of whole tensors and of blocks of columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// result = end(terms[0] + terms[1] + ..., place), one chain of sums an element.
template <layout::architecture Architecture, typename End>
IPU_DSL_ALWAYS_INLINE void sum_up(const float* const* terms, std::int32_t count, float* result,
                                  std::ptrdiff_t elements, const End& end) {
  using lanes = vector<Architecture>;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    prefetch_for_writing<Architecture.lanes>(result + i, shared_floats_ahead);
    lanes sum = load<lanes>(terms[0] + i);
    for (std::int32_t term = 1; term < count; ++term) {
      sum = sum + load<lanes>(terms[term] + i);
    }
    store(result + i, end(sum, i));
  }
}

/// result = activation(terms[0] + terms[1] + ...), one chain of sums an element, in that order;
/// every tensor has `elements` elements, whole vectors. `result` may be one of the terms.
template <activation_kind Kind = activation_kind::linear,
          layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sum_tensors(const float* const* terms, std::int32_t count, float* result,
                                   std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  sum_up<Architecture>(terms, count, result, elements,
                       [](const lanes& sum, std::ptrdiff_t)
                           IPU_DSL_ALWAYS_INLINE_LAMBDA { return activate<Kind>(sum, 0.0F); });
}

/// The same sums, put back through the activation that made `y`.
template <activation_kind Through, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void sum_through(const float* const* terms, std::int32_t count, const float* y,
                                   float* result, std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  sum_up<Architecture>(terms, count, result, elements,
                       [y](const lanes& sum, std::ptrdiff_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                         return gradient_through<Through>(sum, load<lanes>(y + i), 0.0F);
                       });
}

/// y = factor * x over `elements` elements, whole vectors; `y` may be `x`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void scale_tensor(const float* x, float factor, float* y,
                                    std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    store(y + i, lanes(factor) * load<lanes>(x + i));
  }
}

/// y = 0 over `elements` elements.
inline void clear_tensor(float* y, std::ptrdiff_t elements) noexcept {
  for (std::ptrdiff_t i = 0; i < elements; ++i) {
    y[i] = 0.0F;
  }
}

/// A block of `columns` columns from rows of one stride to rows of another: one input of a
/// concatenation, or one part of its gradient. Other columns are left alone.
inline void copy_columns(const float* __restrict from, std::ptrdiff_t from_stride,
                         float* __restrict to, std::ptrdiff_t to_stride, std::int32_t rows,
                         std::int32_t columns) noexcept {
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < columns; ++column) {
      to[row * to_stride + column] = from[row * from_stride + column];
    }
  }
}

/// Zeros into a block of `columns` columns: the padding behind a concatenation.
inline void clear_columns(float* to, std::ptrdiff_t to_stride, std::int32_t rows,
                          std::int32_t columns) noexcept {
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < columns; ++column) {
      to[row * to_stride + column] = 0.0F;
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
