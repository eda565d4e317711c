// SPDX-License-Identifier: MIT
// Numbers of bytes, and of other numbers: scale and offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Sixteen bytes as floats. The compilers' own vectors know the instructions for it.
IPU_DSL_ALWAYS_INLINE void widen_sixteen(const std::uint8_t* bytes, float* numbers) noexcept {
  using narrow = std::uint8_t __attribute__((vector_size(16)));
  using wide = float __attribute__((vector_size(64)));
  narrow loaded;
  std::memcpy(&loaded, bytes, sizeof(loaded));
  const wide made = __builtin_convertvector(loaded, wide);
  std::memcpy(numbers, &made, sizeof(made));
}

/// y = x * scale + offset, rounded once, over one row of x [units] bytes and y [row_stride(units)].
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void rescale_row(const std::uint8_t* x, float* y, std::int32_t units,
                                       float scale, float offset) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t widened = 16;
  float numbers[std::size_t{widened}];
  std::int32_t n = 0;
  for (; n + widened <= units; n += widened) {
    widen_sixteen(x + n, numbers);
    for (std::int32_t i = 0; i < widened; i += Architecture.lanes) {
      store(y + n + i, multiply_add(load<lanes>(numbers + i), lanes(scale), lanes(offset)));
    }
  }
  for (; n < units; ++n) {
    y[n] = multiply_add(static_cast<float>(x[n]), scale, offset);
  }
  clear_padding(y, units, layout::row_stride(units, Architecture));
}

/// The same of all rows, x [rows][units], y [rows][row_stride(units)].
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void rescale(const std::uint8_t* x, float* y, std::int32_t rows,
                               std::int32_t units, float scale, float offset) noexcept {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    rescale_row<Architecture>(x, y, units, scale, offset);
    x += units;
    y += stride;
  }
}

/// The same of floats, both [rows][row_stride(units)]; `y` may be `x`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void rescale(const float* x, float* y, std::int32_t rows, std::int32_t units,
                               float scale, float offset) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      store(y + n, multiply_add(load<lanes>(x + n), lanes(scale), lanes(offset)));
    }
    clear_padding(y, units, stride);
    x += stride;
    y += stride;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
