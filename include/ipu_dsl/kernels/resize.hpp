// SPDX-License-Identifier: MIT
// Positions copied, repeated, left out or surrounded by zeros, and the gradients of that.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Along one axis: output o copies input (o - before) / factor, rounded down, where there is one.
struct resized_axis {
  std::int32_t inputs;
  std::int32_t outputs;
  std::int32_t before;
  std::int32_t factor;

  /// Which input output `o` copies; -1: none, it is zero.
  constexpr std::int32_t source(std::int32_t o) const {
    const std::int32_t past = o - before;
    return past < 0 || past >= inputs * factor ? -1 : past / factor;
  }

  /// The outputs that copy input `i`.
  constexpr index_range copies(std::int32_t i) const {
    const std::int32_t begin = i * factor + before;
    const std::int32_t end = begin + factor;
    return {begin < 0 ? 0 : begin, end > outputs ? outputs : end};
  }
};

/// Images (rows, columns, channels), one behind the other.
struct resized_images {
  resized_axis rows;
  resized_axis columns;
  std::int32_t channels;
};

template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void copy_position(const float* from, float* to, std::int32_t stride) {
  using lanes = vector<Architecture>;
  for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
    store(to + n, from == nullptr ? lanes(0.0F) : load<lanes>(from + n));
  }
}

/// y, of the output's extents, from x; `mine` are rows of the outputs of all samples.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void resize(const float* x, float* y, const resized_images& by,
                              index_range mine) noexcept {
  const std::int32_t stride = layout::row_stride(by.channels, Architecture);
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const std::ptrdiff_t sample = row / by.rows.outputs;
    const std::int32_t from_row = by.rows.source(row % by.rows.outputs);
    const float* const read = x + (sample * by.rows.inputs + from_row) * by.columns.inputs * stride;
    float* const written = y + std::ptrdiff_t{row} * by.columns.outputs * stride;
    for (std::int32_t column = 0; column < by.columns.outputs; ++column) {
      const std::int32_t from = by.columns.source(column);
      const bool none = from_row < 0 || from < 0;
      copy_position<Architecture>(none ? nullptr : read + std::ptrdiff_t{from} * stride,
                                  written + std::ptrdiff_t{column} * stride, stride);
    }
  }
}

/// dx = the sum of the gradients of all copies, row by row, or zero without any; `mine` are rows of
/// the inputs of all samples.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void resize_gradient(const float* gradient, float* dx, const resized_images& by,
                                       index_range mine) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(by.channels, Architecture);
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const std::ptrdiff_t sample = row / by.rows.inputs;
    const index_range rows = by.rows.copies(row % by.rows.inputs);
    const float* const read = gradient + sample * by.rows.outputs * by.columns.outputs * stride;
    float* const written = dx + std::ptrdiff_t{row} * by.columns.inputs * stride;
    for (std::int32_t column = 0; column < by.columns.inputs; ++column) {
      const index_range columns = by.columns.copies(column);
      for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
        lanes sum(0.0F);
        for (std::int32_t r = rows.begin; r < rows.end; ++r) {
          for (std::int32_t c = columns.begin; c < columns.end; ++c) {
            const std::ptrdiff_t at = std::ptrdiff_t{r} * by.columns.outputs + c;
            sum = sum + load<lanes>(read + at * stride + n);
          }
        }
        store(written + std::ptrdiff_t{column} * stride + n, sum);
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
