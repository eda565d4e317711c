// SPDX-License-Identifier: MIT
// The gradient of the weights of one tap of a product over windows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The lines of outputs that meet a source at one row of taps of the kernel: of some planes, of
/// each the same rows.
template <window_product Product>
class met_lines {
 public:
  constexpr explicit met_lines(std::int32_t row_of_taps)
      : plane_tap_(Product.planes.taps == 1 ? 0 : row_of_taps / Product.rows.taps),
        row_tap_(Product.planes.taps == 1 ? row_of_taps : row_of_taps % Product.rows.taps),
        planes_(Product.planes.outputs_at(plane_tap_)),
        rows_(Product.rows.outputs_at(row_tap_)) {}

  constexpr std::int32_t count() const { return met_taps{planes_, rows_}.count(); }

  /// How many of them come before a line of outputs.
  constexpr std::int32_t before(std::int32_t line) const {
    const std::int32_t rows = rows_.end - rows_.begin;
    const std::int32_t row = std::clamp(Product.row_of(line) - rows_.begin, 0, rows);
    if constexpr (Product.planes.outputs == 1) {
      return row;
    } else {
      const std::int32_t plane = Product.plane_of(line) - planes_.begin;
      const std::int32_t planes = planes_.end - planes_.begin;
      return plane < 0 ? 0 : (std::min)(plane, planes) * rows + (plane < planes ? row : 0);
    }
  }

  /// Line `number` of them.
  constexpr std::int32_t at(std::int32_t number) const {
    if constexpr (Product.planes.outputs == 1) {
      return rows_.begin + number;
    } else {
      const std::int32_t rows = rows_.end - rows_.begin;
      return (planes_.begin + number / rows) * Product.rows.outputs + rows_.begin + number % rows;
    }
  }

  /// How many of them, from line `number` on, lie in one plane.
  constexpr std::int32_t in_plane_from(std::int32_t number) const {
    const std::int32_t rows = rows_.end - rows_.begin;
    return rows - (Product.planes.outputs == 1 ? number : number % rows);
  }

  /// Where the row of sources begins that a line meets.
  constexpr std::ptrdiff_t source(std::int32_t line) const {
    return Product.source_row(line, plane_tap_, row_tap_);
  }

 private:
  std::int32_t plane_tap_;
  std::int32_t row_tap_;
  index_range planes_;
  index_range rows_;
};

/// Copies `Vectors` vectors of each output of d to `copy`, one behind the other; returns what to
/// read then.
///   copy  [lines][batch][Vectors * lanes]
template <layout::architecture Architecture, int Vectors>
IPU_DSL_ALWAYS_INLINE gradient_factors copy_outputs(const gradient_factors& from, float* copy) {
  constexpr int width = Architecture.lanes;
  float* to = copy;
  for (std::int32_t line = 0; line < from.lines; ++line) {
    const float* d = from.d + line * from.d_line;
    for (std::int32_t b = 0; b < from.batch; ++b) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        store(to + v * width, load<vector<Architecture>>(d + v * width));
      }
      d += from.d_stride;
      to += Vectors * width;
    }
  }
  gradient_factors made = from;
  made.d = copy;
  made.d_stride = Vectors * width;
  made.d_line = from.batch * made.d_stride;
  return made;
}

/// Some row tiles of the weights of one tap against `Vectors` vectors of one panel, for a block of
/// lines. Each element is one chain of multiply-adds over ascending samples, lines and columns of
/// outputs, without those that meet padding at this tap.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          typename Rule>
[[gnu::noinline]] void window_gradient_tap(const float* x, const float* d,
                                           const gradient_target<Rule>& to, std::int32_t tap,
                                           const index_range& tiles, const index_range& block,
                                           const gradient_step<Rule>& step) noexcept {
  constexpr std::ptrdiff_t x_stride = Product.columns.step * Product.read.pixel;
  const std::int32_t column_tap = tap % Product.kernel_columns;
  const met_lines<Product> lines(tap / Product.kernel_columns);
  const index_range columns = Product.columns.outputs_at(column_tap);
  const std::int32_t met = columns.end > columns.begin ? columns.end - columns.begin : 0;
  const std::int32_t line_count = met > 0 ? lines.count() : 0;
  const std::int32_t steps = Product.samples * line_count;
  const auto steps_before = [&](std::int32_t number) {
    const std::int32_t sample = number / Product.lines_of_sample();
    return line_count == 0
               ? 0
               : sample * line_count + lines.before(number - sample * Product.lines_of_sample());
  };
  const index_range mine = {steps_before(block.begin), steps_before(block.end)};
  // Of one panel every tap reads d of a block: most of it is near. With narrow vectors it is read
  // for so many tiles that asking costs more than waiting (AVX2: 1x1 128 to 128, 64 steps: 1.28 of
  // the time; 3x3 32 to 32, 56x56, batch 8: 1.05).
  constexpr bool asks_for_outputs =
      Architecture.lanes >= 16 && lines_of_block(Product, Architecture) < Product.lines();
  constexpr bool asks_for_inputs = asks_for_outputs && (reads_from_afar(Product, Architecture) ||
                                                        reads_few_lines(Product, Architecture));
  // A tile ends with its sample.
  constexpr bool in_lines =
      lines_of_tile(Product, Architecture) > 1 && Product.lines_of_sample() > 1;
  constexpr bool copies = copies_outputs(Product, Architecture);
  constexpr std::int32_t outputs_of_tile =
      copies ? lines_of_tile(Product, Architecture) * Product.columns.outputs : 1;
  [[maybe_unused]] alignas(
      64) float copy[std::size_t{outputs_of_tile} * Vectors * Architecture.lanes];
  tile_runs<Architecture, Product.depth, Vectors>(
      tiles, [&](auto rows, std::int32_t first, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::ptrdiff_t row = std::ptrdiff_t{tap} * Product.depth + first;
        const gradient_target<Rule> target = to.at(row * PanelWidth);
        if (steps == 0 && block.end == Product.lines()) {
          // Nothing but padding is met: the gradient is what it was, or zero.
          const gradient_factors none = {x + first, d, 0, x_stride, Product.written.pixel};
          outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule, in_lines>(none, target,
                                                                                       count, step);
        }
        for (std::int32_t i = mine.begin; i < mine.end;) {
          const std::int32_t sample = i / line_count;
          const std::int32_t number = i % line_count;
          const std::int32_t line = lines.at(number);
          const std::int32_t together = (std::min)(
              {lines.in_plane_from(number), mine.end - i, lines_of_tile(Product, Architecture)});
          const std::int32_t source_column = Product.columns.source(columns.begin, column_tap);
          const gradient_factors factors = {
              .x = x + sample * Product.read.sample + lines.source(line) +
                   source_column * Product.read.pixel + first,
              .d = d + sample * Product.written.sample + Product.written_line(line) +
                   columns.begin * Product.written.pixel,
              .batch = met,
              .x_stride = x_stride,
              .d_stride = Product.written.pixel,
              .x_ahead = asks_for_inputs ? together * Product.rows.step * Product.read.row : 0,
              .d_ahead = asks_for_outputs ? together * Product.written.row : 0,
              .lines = together,
              .x_line = std::ptrdiff_t{Product.rows.step} * Product.read.row,
              .d_line = Product.written.row};
          gradient_step<Rule> of_lines = step;
          of_lines.continues = step.continues || i > 0;
          i += together;
          of_lines.updates = step.updates && i == steps;
          if constexpr (copies) {
            const gradient_factors copied = copy_outputs<Architecture, Vectors>(factors, copy);
            outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule, in_lines>(
                copied, target, count, of_lines);
          } else {
            outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule, in_lines,
                                asks_for_outputs, asks_for_inputs>(factors, target, count,
                                                                   of_lines);
          }
        }
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
