// SPDX-License-Identifier: MIT
// Products of rows of two tensors, and their gradients.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Rows of `length` numbers along one axis of a sample: `behind` numbers lie between two of a row.
struct axis_rows {
  std::int32_t before;
  std::int32_t length;
  std::int32_t behind;

  constexpr std::int32_t count() const { return before * behind; }

  /// Of the first number of a row.
  constexpr std::ptrdiff_t begin(std::int32_t row) const {
    return std::ptrdiff_t{row / behind} * length * behind + row % behind;
  }
};

/// Below this square of its length, as in Keras, a row is divided by the root of this.
inline constexpr float least_square_length = 1e-12F;

/// A chain over the numbers of both rows, in their order.
inline float product_of_rows(const float* a, std::int32_t a_stride, const float* b,
                             std::int32_t b_stride, std::int32_t length) noexcept {
  float sum = 0.0F;
  for (std::int32_t k = 0; k < length; ++k) {
    sum = multiply_add(a[std::ptrdiff_t{k} * a_stride], b[std::ptrdiff_t{k} * b_stride], sum);
  }
  return sum;
}

/// What all rows of a sample are multiplied by, so that their lengths are 1.
inline void scales_of_rows(const float* x, const axis_rows& rows, float* scales) noexcept {
  for (std::int32_t row = 0; row < rows.count(); ++row) {
    const float* const first = x + rows.begin(row);
    const float square = product_of_rows(first, rows.behind, first, rows.behind, rows.length);
    const float at_least = square > least_square_length ? square : least_square_length;
    scales[row] = divide(1.0F, square_root(at_least));
  }
}

/// The products of all rows of one sample, [rows of a][rows of b]; with `scales` the rows have
/// these.
inline void dot_products(const float* a, const axis_rows& of_a, const float* a_scales,
                         const float* b, const axis_rows& of_b, const float* b_scales,
                         float* products) noexcept {
  for (std::int32_t i = 0; i < of_a.count(); ++i) {
    for (std::int32_t j = 0; j < of_b.count(); ++j) {
      float* const made = products + std::ptrdiff_t{i} * of_b.count() + j;
      *made = product_of_rows(a + of_a.begin(i), of_a.behind, b + of_b.begin(j), of_b.behind,
                              of_a.length);
      if (a_scales != nullptr) {
        *made = *made * a_scales[i] * b_scales[j];
      }
    }
  }
}

/// How the gradients of products lie for one row: those with all rows of the other.
struct product_gradients {
  const float* first;
  std::int32_t along_rows;    ///< from a row to the next
  std::int32_t along_others;  ///< from a row of the other to the next
};

/// What a row gets of products with all rows of the other: a chain for each number, in their order.
inline void gather_row_gradient(const product_gradients& d, std::int32_t row, const float* other,
                                const axis_rows& of_other, const float* other_scales, float* to,
                                std::int32_t to_stride) noexcept {
  for (std::int32_t k = 0; k < of_other.length; ++k) {
    float sum = 0.0F;
    for (std::int32_t j = 0; j < of_other.count(); ++j) {
      const float read = other[of_other.begin(j) + std::ptrdiff_t{k} * of_other.behind];
      const float by = other_scales == nullptr ? read : read * other_scales[j];
      sum = multiply_add(
          d.first[std::ptrdiff_t{row} * d.along_rows + std::ptrdiff_t{j} * d.along_others], by,
          sum);
    }
    to[std::ptrdiff_t{k} * to_stride] = sum;
  }
}

/// Through the division of a row by its length: (g - x^ (x^ g)) / length, where x^ is what it
/// became; a row that is too short was multiplied by a constant.
inline void through_length(const float* x, float scale, std::int32_t stride, std::int32_t length,
                           float* gradient) noexcept {
  const float square = product_of_rows(x, stride, x, stride, length);
  const float along = product_of_rows(x, stride, gradient, stride, length) * scale * scale;
  const float taken = square > least_square_length ? along : 0.0F;
  for (std::int32_t k = 0; k < length; ++k) {
    const std::ptrdiff_t at = std::ptrdiff_t{k} * stride;
    gradient[at] = multiply_add(-taken, x[at], gradient[at]) * scale;
  }
}

/// The gradient of one sample's rows from those of the products; scales as the products had them.
inline void dot_gradient(const product_gradients& d, const float* own, const axis_rows& of_own,
                         const float* own_scales, const float* other, const axis_rows& of_other,
                         const float* other_scales, float* gradient) noexcept {
  for (std::int32_t row = 0; row < of_own.count(); ++row) {
    float* const made = gradient + of_own.begin(row);
    gather_row_gradient(d, row, other, of_other, other_scales, made, of_own.behind);
    if (own_scales != nullptr) {
      through_length(own + of_own.begin(row), own_scales[row], of_own.behind, of_own.length, made);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
