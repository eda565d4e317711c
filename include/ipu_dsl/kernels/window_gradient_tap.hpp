// SPDX-License-Identifier: MIT
// The gradient of the weights of one tap of a product over windows.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_runs.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Copies `Vectors` vectors of each output of d to `copy`, one behind the other; returns what to
/// read then.
/// `AsksForBlock`: d comes from memory, and what lies `d_ahead` behind is asked for.
///   copy  [lines][batch][Vectors * lanes]
template <layout::architecture Architecture, int Vectors, bool AsksForBlock>
IPU_DSL_ALWAYS_INLINE gradient_factors copy_outputs(const gradient_factors& from, float* copy) {
  constexpr int width = Architecture.lanes;
  float* to = copy;
  for (std::int32_t line = 0; line < from.lines; ++line) {
    const float* d = from.d + line * from.d_line;
    for (std::int32_t b = 0; b < from.batch; ++b) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        store(to + v * width, load<vector<Architecture>>(d + v * width));
        if constexpr (AsksForBlock) {
          prefetch_for_later(d, v * width + from.d_ahead);
        }
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
  const index_range columns = Product.columns.outputs_at(column_tap);
  const std::int32_t met = columns.end > columns.begin ? columns.end - columns.begin : 0;
  const std::ptrdiff_t first_source =
      Product.columns.source(columns.begin, column_tap) * Product.read.pixel;
  const line_runs<Product> runs(tap / Product.kernel_columns, met > 0, block,
                                lines_of_tile(Product, Architecture));
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
  constexpr bool asks_for_block = copies && copies_from_afar(Product);
  constexpr std::int32_t outputs_of_tile =
      copies ? lines_of_tile(Product, Architecture) * Product.columns.outputs : 1;
  [[maybe_unused]] alignas(
      64) float copy[std::size_t{outputs_of_tile} * Vectors * Architecture.lanes];
  tile_runs<Architecture, Product.depth, Vectors>(
      tiles, [&](auto rows, std::int32_t first, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::ptrdiff_t row = std::ptrdiff_t{tap} * Product.depth + first;
        const gradient_target<Rule> target = to.at(row * PanelWidth);
        if (runs.end_without_any()) {
          const gradient_factors none = {x + first, d, 0, x_stride, Product.written.pixel};
          outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule, in_lines>(none, target,
                                                                                       count, step);
        }
        runs.each(step, [&](const line_run& run,
                            const gradient_step<Rule>& of_run) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const gradient_factors factors = {
              .x = x + run.x + first_source + first,
              .d = d + run.d + columns.begin * Product.written.pixel,
              .batch = met,
              .x_stride = x_stride,
              .d_stride = Product.written.pixel,
              .x_ahead = asks_for_inputs ? run.count * Product.rows.step * Product.read.row : 0,
              .d_ahead = (copies ? block.end - block.begin : run.count) * Product.written.row,
              .lines = run.count,
              .x_line = std::ptrdiff_t{Product.rows.step} * Product.read.row,
              .d_line = Product.written.row};
          if constexpr (copies) {
            const gradient_factors copied =
                copy_outputs<Architecture, Vectors, asks_for_block>(factors, copy);
            outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule, in_lines>(
                copied, target, count, of_run);
          } else {
            outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule, in_lines,
                                asks_for_outputs, asks_for_inputs>(factors, target, count, of_run);
          }
        });
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
