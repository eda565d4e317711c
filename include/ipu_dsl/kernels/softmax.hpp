// SPDX-License-Identifier: MIT
// Softmax over rows, its logarithm, and their gradients. Sums are chains in ascending order of the
// units.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/exponential.hpp>
#include <ipu_dsl/kernels/logarithm.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The largest of the first `units` elements. Their order cannot matter, so vectors may be used.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float row_maximum(const float* row, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  float largest = row[0];
  std::int32_t n = 0;
  if (units >= Architecture.lanes) {
    lanes largest_lanes = load<lanes>(row);
    for (n = Architecture.lanes; n + Architecture.lanes <= units; n += Architecture.lanes) {
      largest_lanes = maximum(largest_lanes, load<lanes>(row + n));
    }
    float elements[std::size_t{Architecture.lanes}];
    store(elements, largest_lanes);
    for (const float element : elements) {
      largest = maximum(largest, element);
    }
  }
  for (; n < units; ++n) {
    largest = maximum(largest, row[n]);
  }
  return largest;
}

/// The sum of e^(x - largest) over the first `units` elements, in ascending order. The terms are
/// written to `y`, padding with zero, unless it is null; `y` may be `x`.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float row_exponentials(const float* x, float largest, float* y,
                                             std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  float terms[std::size_t{Architecture.lanes}];
  float sum = 0.0F;
  for (std::int32_t n = 0; n < units; n += Architecture.lanes) {
    const std::int32_t rest = units - n;
    const std::int32_t count = rest < Architecture.lanes ? rest : Architecture.lanes;
    store(terms, exponential(load<lanes>(x + n) - lanes(largest)));
    clear_padding(terms, count, Architecture.lanes);
    for (std::int32_t i = 0; i < count; ++i) {
      sum = sum + terms[i];
    }
    if (y != nullptr) {
      store(y + n, load<lanes>(terms));
    }
  }
  return sum;
}

/// y = softmax(x) of every row, both [rows][row_stride(units)]; `y` may be `x`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void softmax_forward(const float* x, float* y, std::int32_t rows,
                                       std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    const float largest = row_maximum<Architecture>(x, units);
    const float sum = row_exponentials<Architecture>(x, largest, y, units);
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      store(y + n, divide(load<lanes>(y + n), lanes(sum)));
    }
    x += stride;
    y += stride;
  }
}

/// dx = y * (gradient - sum of gradient * y) of every row, from y = softmax(x), all
/// [rows][row_stride(units)]; `dx` may be `gradient`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void softmax_gradient(const float* gradient, const float* y, float* dx,
                                        std::int32_t rows, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    float mean = 0.0F;
    for (std::int32_t n = 0; n < units; ++n) {
      mean = multiply_add(gradient[n], y[n], mean);
    }
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      store(dx + n, load<lanes>(y + n) * (load<lanes>(gradient + n) - lanes(mean)));
    }
    clear_padding(dx, units, stride);
    gradient += stride;
    y += stride;
    dx += stride;
  }
}

/// y = ln softmax(x) of every row, both [rows][row_stride(units)]; `y` may be `x`. Of what is far
/// below the largest it is finite, where the logarithm of softmax would not be.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void log_softmax_forward(const float* x, float* y, std::int32_t rows,
                                           std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    const float largest = row_maximum<Architecture>(x, units);
    const float sum = row_exponentials<Architecture>(x, largest, nullptr, units);
    const lanes of_sum(logarithm(sum));
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      store(y + n, (load<lanes>(x + n) - lanes(largest)) - of_sum);
    }
    clear_padding(y, units, stride);
    x += stride;
    y += stride;
  }
}

/// dx = gradient - e^y * (sum of gradient) of every row, from y = ln softmax(x), all
/// [rows][row_stride(units)]; `dx` may be `gradient`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void log_softmax_gradient(const float* gradient, const float* y, float* dx,
                                            std::int32_t rows, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    float sum = 0.0F;
    for (std::int32_t n = 0; n < units; ++n) {
      sum = sum + gradient[n];
    }
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      const lanes probability = exponential(load<lanes>(y + n));
      store(dx + n, multiply_add(probability, lanes(-sum), load<lanes>(gradient + n)));
    }
    clear_padding(dx, units, stride);
    gradient += stride;
    y += stride;
    dx += stride;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
