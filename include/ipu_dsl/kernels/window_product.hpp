// SPDX-License-Identifier: MIT
// Products over windows of images with weights in panels: the forward pass of a convolution, and
// the gradient of its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_forward_sample.hpp>
#include <ipu_dsl/kernels/held_weights.hpp>
#include <ipu_dsl/kernels/pixelwise_product.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/resident_sums.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/window_taps.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// `Rows` outputs beside each other of one line, which meet all taps of a row of the kernel. Each
/// is one chain of multiply-adds from its bias, in ascending order of kernel planes, rows, columns
/// and depth, without the rows that lie in the padding: a stretch for each tap, or for all of a
/// row.
template <layout::architecture Architecture, window_product Product, int Rows, int Vectors,
          int PanelWidth, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void window_tile(const float* x, const float* w, const float* bias, float* y,
                                       std::int32_t line, std::int32_t column, float alpha) {
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  const met_taps outer = Product.taps_met(line);
  constexpr std::int32_t taps = Product.columns.taps;
  // Of several taps most of what is read is near.
  constexpr bool asks_ahead = Product.kernel_taps == 1 && reads_from_afar(Product, Architecture);
  constexpr bool asks_for_outputs = Product.kernel_taps == 1 && writes_afar(Product, Architecture);
  const auto stretch = [&](const float* from, std::int32_t tap, std::int32_t depth,
                           const stretch_place& place) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    product_tile<Architecture, Rows, Vectors, PanelWidth, static_cast<int>(stride), Kind,
                 asks_ahead, asks_for_outputs>(from,
                                               w + std::ptrdiff_t{tap} * Product.depth * PanelWidth,
                                               bias, y, Product.written.pixel, depth, alpha, place);
  };
  const std::int32_t outer_count = outer.count();
  if (taps == 0 || outer_count == 0) {
    stretch(x, 0, 0, {true, true});
    return;
  }
  for (std::int32_t number = 0; number < outer_count; ++number) {
    const bool first_row = number == 0;
    const bool last_row = number + 1 == outer_count;
    const std::int32_t plane_tap = Product.plane_tap(outer, number);
    const std::int32_t row_tap = Product.row_tap(outer, number);
    const float* const source = x + Product.source_row(line, plane_tap, row_tap);
    const std::int32_t first_tap = Product.first_position(plane_tap, row_tap);
    if constexpr (Product.joins_taps()) {
      const std::int32_t at = Product.columns.source(column, 0);
      stretch(source + at * Product.read.pixel, first_tap, taps * Product.depth,
              {first_row, last_row});
    } else {
      for (std::int32_t tap = 0; tap < taps; ++tap) {
        const std::int32_t at = Product.columns.source(column, tap);
        stretch(source + at * Product.read.pixel, first_tap + Product.columns.position_of(tap),
                Product.depth, {first_row && tap == 0, last_row && tap + 1 == taps});
      }
    }
  }
}

/// One line of outputs for `Vectors` vectors of one panel, of which `units` columns are units; put
/// through the activation that made `made`.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind, activation_kind Through>
[[gnu::noinline]] void window_line(const float* x, const float* w, const float* bias, float* y,
                                   const activated_pixels<Through>& made, std::int32_t line,
                                   std::int32_t units, float alpha) noexcept {
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr int outputs = Product.columns.outputs;
  constexpr std::ptrdiff_t pixel = Product.written.pixel;
  constexpr bool holds = holds_weights(Product, Vectors, Architecture);
  constexpr bool resident = holds || has_resident_sums<Architecture, Product, Vectors>();
  if constexpr (holds) {
    if (Product.taps_met(line).count() == Product.rows.taps) {
      held_weights_line<Architecture, Product, Vectors, PanelWidth, in_tile>(x, w, bias, y, line,
                                                                             alpha);
    } else {
      resident_sums_line<Architecture, Product, Vectors, PanelWidth, in_tile>(x, w, bias, y, line,
                                                                              alpha);
    }
  } else if constexpr (resident) {
    resident_sums_line<Architecture, Product, Vectors, PanelWidth, in_tile>(x, w, bias, y, line,
                                                                            alpha);
  } else {
    static_assert(!Product.has_rims(), "window_lines_by_taps has such lines");
    tile_rows<Architecture, outputs, Vectors>(
        {0, row_tiles(outputs, Vectors, Architecture).parts()},
        [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const std::ptrdiff_t at = first * pixel;
          window_tile<Architecture, Product, rows, Vectors, PanelWidth, in_tile>(
              x, w, bias, y + at, line, first, alpha);
          made.at(at).template put_through<Architecture, Vectors>(y + at, pixel, rows);
        });
  }
  if constexpr (resident) {
    made.template put_through<Architecture, Vectors>(y, pixel, outputs);
  }
  if constexpr (!applied_in_registers(Kind)) {
    activate_block<Kind, Architecture>(y, Product.written.pixel, outputs,
                                       Vectors * Architecture.lanes, units, alpha);
  }
}

/// Some lines of outputs of one sample.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind, activation_kind Through>
IPU_DSL_ALWAYS_INLINE void window_lines(const float* x, const float* w, const float* bias, float* y,
                                        const activated_pixels<Through>& made,
                                        const index_range& lines, std::int32_t units, float alpha) {
  if constexpr (Product.has_rims() && !has_resident_sums<Architecture, Product, Vectors>()) {
    window_lines_by_taps<Architecture, Product, Vectors, PanelWidth, Kind>(x, w, bias, y, lines,
                                                                           units, alpha);
    for (std::int32_t line = lines.begin; line < lines.end; ++line) {
      const std::ptrdiff_t at = Product.written_line(line);
      made.at(at).template put_through<Architecture, Vectors>(y + at, Product.written.pixel,
                                                              Product.columns.outputs);
    }
  } else {
    for (std::int32_t line = lines.begin; line < lines.end; ++line) {
      const std::ptrdiff_t at = Product.written_line(line);
      window_line<Architecture, Product, Vectors, PanelWidth, Kind, Through>(
          x, w, bias, y + at, made.at(at), line, units, alpha);
    }
  }
}

/// y = activation(windows of x times w + bias), or a grain of it.
///   x     images of `depth` numbers a pixel
///   w     panels of [taps, depth, units]; bias  [bias_elements(units)] or null
///   y     pixels of row_stride(units) floats at least, of which these are written
///   made  of a gradient that is put back through what made it: that, as y lies
template <window_product Product, activation_kind Kind,
          layout::architecture Architecture = layout::native,
          activation_kind Through = activation_kind::linear>
void multiply_windows(const float* __restrict x, const float* __restrict w,
                      const float* __restrict bias, float* __restrict y, float alpha,
                      const grain& part = {}, const activated_pixels<Through>& made = {}) noexcept {
  // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
  static_assert(Product.lanewise == 0, "multiply_by_lanes has such a product");
  constexpr panel_columns columns(Product.units, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr std::int32_t lines = Product.lines();
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  const auto some_lines = [&](auto panel_vectors, std::int32_t panel,
                              const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int together = Product.vectors_together(panel_vectors, vectors, Architecture.lanes);
    constexpr std::int32_t of_sample = Product.lines_of_sample();
    for (std::int32_t number = mine.begin; number < mine.end;) {
      const std::int32_t sample = number / of_sample;
      const std::int32_t first_line = number - sample * of_sample;
      const index_range some = common({first_line, first_line + mine.end - number}, {0, of_sample});
      for (std::int32_t first = 0; first < panel_vectors; first += together) {
        const std::int32_t within = first * Architecture.lanes;
        const std::int32_t n = panel * width + within;
        const std::ptrdiff_t at = sample * Product.written.sample + n;
        window_lines<Architecture, Product, together, width, Kind, Through>(
            x + sample * Product.read.sample + Product.first_read(n),
            w + panel * panel_size + within, bias == nullptr ? nullptr : bias + n, y + at,
            made.at(at), some, Product.units - n, alpha);
      }
      number += some.end - some.begin;
    }
  };
  if constexpr (pixelwise_cut<Product, Architecture>::suits()) {
    multiply_by_pixels<Product, Kind, Architecture>(x, w, bias, y, alpha, part, made);
    return;
  }
  if constexpr (Product.is_row_by_matrix() && applied_in_registers(Kind) &&
                Through == activation_kind::linear) {
    if (part.count == 1) {
      dense_forward_sample<Architecture, Product.depth, Product.units, Kind>(x, w, bias, y, alpha);
      return;
    }
  }
  if constexpr (lines > 0 && Product.columns.outputs > 0) {
    constexpr std::int32_t together = lines_of_block(Product, Architecture);
    blocks_of(lines, together, [&](const index_range& block) {
      columns_of_grain(
          columns.full_panels, lines, part,
          [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
            some_lines(std::integral_constant<int, vectors>(), panel, common(mine, block));
          });
      if constexpr (rest_vectors > 0) {
        some_lines(std::integral_constant<int, rest_vectors>(), columns.full_panels,
                   common(range_of(lines, part), block));
      }
    });
  }
}

/// Of each tap's weights the transpose: from panels of [taps, inputs, units] to those of
/// [taps, units, inputs], or a grain of it: of some taps' units. Padding that a product reads
/// becomes zero.
template <std::int32_t Taps, std::int32_t Inputs, std::int32_t Units,
          layout::architecture Architecture = layout::native>
void transpose_taps(const float* __restrict w, float* __restrict transposed,
                    const grain& part = {}) noexcept {
  constexpr layout::panels from(Taps * Inputs, Units, Architecture);
  constexpr layout::panels to(Taps * Units, Inputs, Architecture);
  constexpr std::int32_t padded = layout::row_stride(Inputs, Architecture);
  constexpr std::ptrdiff_t row = layout::panel_width(Units, Architecture);
  const auto one_block = [&]<std::int32_t Count>(std::int32_t tap, std::int32_t unit,
                                                 std::int32_t input) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    quads<Count> block[4];
    const float* const source = w + from.offset(tap * Inputs + input, unit);
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      block[i] = input + i < Inputs ? load_quads<Count>(source + i * row, quad_lanes * row)
                                    : quads<Count>(0.0F);
    }
    transpose_quads(block);
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      if (unit + i < Units) {
        store(transposed + to.offset(tap * Units + unit + i, input), block[i]);
      }
    }
  };
  const auto units_of_tap = [&](std::int32_t tap,
                                const index_range& fours) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    for (std::int32_t four = fours.begin; four < fours.end; ++four) {
      std::int32_t input = 0;
      for (; input + Architecture.lanes <= Inputs; input += Architecture.lanes) {
        one_block.template operator()<Architecture.lanes / quad_lanes>(tap, four * quad_lanes,
                                                                       input);
      }
      for (; input < padded; input += quad_lanes) {
        one_block.template operator()<1>(tap, four * quad_lanes, input);
      }
    }
  };
  columns_of_grain(Taps, layout::ceiling_quotient(Units, quad_lanes), part, units_of_tap);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
