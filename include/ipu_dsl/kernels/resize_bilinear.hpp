// SPDX-License-Identifier: MIT
// Images with more positions, on the lines between those that there are, and the gradients of that.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/resize.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Where an output lies: `share` of the way from input `lower` to input `upper`.
struct interpolated_place {
  std::int32_t lower;
  std::int32_t upper;
  float share;

  /// What input `i` counts there.
  constexpr float weight_of(std::int32_t i) const {
    return (i == lower ? 1.0F - share : 0.0F) + (i == upper ? share : 0.0F);
  }
};

/// Output `o` lies at (o + 1/2) / factor - 1/2; beyond the outermost inputs it is what these are.
constexpr interpolated_place place_between(const resized_axis& axis, std::int32_t o) {
  const std::int32_t halves = 2 * o + 1 - axis.factor;
  const std::int32_t whole = 2 * axis.factor;
  const std::int32_t below = halves < 0 ? -1 : halves / whole;
  const std::int32_t last = axis.inputs - 1;
  return {below < 0 ? 0 : below, below < last ? below + 1 : last,
          static_cast<float>(halves - below * whole) / static_cast<float>(whole)};
}

/// The outputs that input `i` counts in: none outside.
constexpr index_range outputs_between(const resized_axis& axis, std::int32_t i) {
  const std::int32_t begin = i * axis.factor - axis.factor / 2;
  const std::int32_t end = begin + 2 * axis.factor;
  return {begin < 0 ? 0 : begin, end > axis.outputs ? axis.outputs : end};
}

/// y, of the output's extents, from x: first along columns, then along rows; `mine` are rows of the
/// outputs of all samples.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void interpolate(const float* x, float* y, const resized_images& by,
                                   index_range mine) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(by.channels, Architecture);
  const std::ptrdiff_t line = std::ptrdiff_t{by.columns.inputs} * stride;
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const float* const image = x + row / by.rows.outputs * by.rows.inputs * line;
    const interpolated_place rows = place_between(by.rows, row % by.rows.outputs);
    const lanes down(rows.share);
    for (std::int32_t column = 0; column < by.columns.outputs; ++column) {
      const interpolated_place columns = place_between(by.columns, column);
      const lanes right(columns.share);
      const std::ptrdiff_t left = std::ptrdiff_t{columns.lower} * stride;
      const std::ptrdiff_t step = std::ptrdiff_t{columns.upper} * stride - left;
      const float* const upper = image + rows.lower * line + left;
      const float* const lower = image + rows.upper * line + left;
      float* const written = y + (std::ptrdiff_t{row} * by.columns.outputs + column) * stride;
      for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
        const lanes top = load<lanes>(upper + n);
        const lanes bottom = load<lanes>(lower + n);
        const lanes above = multiply_add(load<lanes>(upper + step + n) - top, right, top);
        const lanes below = multiply_add(load<lanes>(lower + step + n) - bottom, right, bottom);
        store(written + n, multiply_add(below - above, down, above));
      }
    }
  }
}

/// dx = the sum of the gradients of all outputs that an input counts in, row by row, by what it
/// counts there; `mine` are rows of the inputs of all samples.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void interpolate_gradient(const float* gradient, float* dx,
                                            const resized_images& by, index_range mine) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(by.channels, Architecture);
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const std::ptrdiff_t sample = row / by.rows.inputs;
    const std::int32_t own_row = row % by.rows.inputs;
    const index_range rows = outputs_between(by.rows, own_row);
    const float* const read = gradient + sample * by.rows.outputs * by.columns.outputs * stride;
    float* const written = dx + std::ptrdiff_t{row} * by.columns.inputs * stride;
    for (std::int32_t column = 0; column < by.columns.inputs; ++column) {
      const index_range columns = outputs_between(by.columns, column);
      for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
        lanes sum(0.0F);
        for (std::int32_t r = rows.begin; r < rows.end; ++r) {
          const float down = place_between(by.rows, r).weight_of(own_row);
          for (std::int32_t c = columns.begin; c < columns.end; ++c) {
            const lanes weight(down * place_between(by.columns, c).weight_of(column));
            const std::ptrdiff_t at = std::ptrdiff_t{r} * by.columns.outputs + c;
            sum = multiply_add(load<lanes>(read + at * stride + n), weight, sum);
          }
        }
        store(written + std::ptrdiff_t{column} * stride + n, sum);
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
