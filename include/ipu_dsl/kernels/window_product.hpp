// SPDX-License-Identifier: MIT
// Products over windows of images with weights in panels: the forward pass of a convolution, and
// the gradient of its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_forward_sample.hpp>
#include <ipu_dsl/kernels/line_tiles.hpp>
#include <ipu_dsl/kernels/pixelwise_product.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// `Rows` outputs beside each other of one line, which meet the same taps. Each is one chain of
/// multiply-adds from its bias, in ascending order of kernel planes, rows, columns and depth,
/// without the taps that lie in the padding: a stretch for each tap.
template <layout::architecture Architecture, window_product Product, int Rows, int Vectors,
          int PanelWidth, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void window_tile(const float* x, const float* w, const float* bias, float* y,
                                       std::int32_t line, std::int32_t column, float alpha) {
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  const met_taps outer = Product.taps_met(line);
  const index_range column_taps = Product.columns.taps_at(column);
  const std::int32_t met = column_taps.end - column_taps.begin;
  const auto stretch = [&](const float* from, std::int32_t tap, std::int32_t depth,
                           const stretch_place& place) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    product_tile<Architecture, Rows, Vectors, PanelWidth, static_cast<int>(stride), Kind>(
        from, w + std::ptrdiff_t{tap} * Product.depth * PanelWidth, bias, y, Product.written.pixel,
        depth, alpha, place);
  };
  const std::int32_t outer_count = outer.count();
  if (met <= 0 || outer_count == 0) {
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
      const std::int32_t at = Product.columns.source(column, column_taps.begin);
      stretch(source + at * Product.read.pixel, first_tap + column_taps.begin, met * Product.depth,
              {first_row, last_row});
    } else {
      for (std::int32_t tap = column_taps.begin; tap < column_taps.end; ++tap) {
        const std::int32_t at = Product.columns.source(column, tap);
        stretch(source + at * Product.read.pixel, first_tap + Product.columns.position_of(tap),
                Product.depth,
                {first_row && tap == column_taps.begin, last_row && tap + 1 == column_taps.end});
      }
    }
  }
}

/// The same as `window_tile` of few channels: sums stay in registers from tap to tap. `Place` is
/// that of `tiles_of_line`: at the rims the outputs of a tile meet different taps.
template <layout::architecture Architecture, window_product Product, int Rows, int Vectors,
          int PanelWidth, activation_kind Kind, std::int32_t Place>
[[gnu::noinline]] void short_stretch_tile(const float* __restrict x, const float* __restrict w,
                                          const float* __restrict bias, float* __restrict y,
                                          std::int32_t line, std::int32_t column,
                                          float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  constexpr bool rim = Place != any_column;
  constexpr bool joined = Product.joins_taps() && !rim;
  constexpr std::int32_t joined_length = Product.columns.taps * Product.depth;
  constexpr bool unrolled = joined ? joined_length <= 16 : Product.depth <= 4;
  const met_taps outer = Product.taps_met(line);
  constexpr std::int32_t stretches = joined ? 1 : Product.columns.taps;
  constexpr std::int32_t length = joined ? joined_length : Product.depth;
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * width);
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      sums[row][v] = start;
    }
  }
  const auto add = [&](const float* source, std::ptrdiff_t at, const float* weights,
                       std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    lanes factors[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      factors[v] = load_once<lanes>(weights + v * width);
    }
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      if (meets_in_tile<Place>(Product.columns, column, row, tap)) {
        const lanes sample(source[at + row * stride]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = multiply_add(sample, factors[v], sums[row][v]);
        }
      }
    }
  };
  for (std::int32_t number = 0; number < outer.count(); ++number) {
    const std::int32_t plane_tap = Product.plane_tap(outer, number);
    const std::int32_t row_tap = Product.row_tap(outer, number);
    const float* const source = x + Product.source_row(line, plane_tap, row_tap);
    const std::int32_t first_tap = Product.first_position(plane_tap, row_tap);
    const auto add_stretch = [&](std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const std::int32_t position = first_tap + Product.columns.position_of(tap);
      const float* const weights = w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
      const std::ptrdiff_t at = Product.columns.source(column, tap) * Product.read.pixel;
      if constexpr (unrolled) {
        // Rolled, so short a loop ends before it is at speed (3x3 3 to 32 on AVX2: 40 %, unrolled
        // 80 %).
        IPU_DSL_UNROLLED
        for (std::int32_t k = 0; k < length; ++k) {
          add(source, at + k, weights + k * PanelWidth, tap);
        }
      } else {
#pragma GCC unroll 1
        for (std::int32_t k = 0; k < length; ++k) {
          add(source, at + k, weights + k * PanelWidth, tap);
        }
      }
    };
    if constexpr (rim && Place != asked_column && stretches <= 8) {
      IPU_DSL_UNROLLED
      for (std::int32_t tap = 0; tap < stretches; ++tap) {
        add_stretch(tap);
      }
    } else {
#pragma GCC unroll 1
      for (std::int32_t tap = 0; tap < stretches; ++tap) {
        add_stretch(tap);
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      store(y + row * Product.written.pixel + v * width, activate<Kind>(sums[row][v], alpha));
    }
  }
}

/// One line of outputs for `Vectors` vectors of one panel, of which `units` columns are units.
/// Where stretches are long, the outputs at the rims, which meet fewer taps than others, are
/// computed one by one.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind>
[[gnu::noinline]] void window_line(const float* x, const float* w, const float* bias, float* y,
                                   std::int32_t line, std::int32_t units, float alpha) noexcept {
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  if constexpr (Product.has_short_stretches()) {
    tiles_of_line<Product.columns, layout::max_tile_rows(Vectors, Architecture)>(
        [&](auto rows, auto place, std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          short_stretch_tile<Architecture, Product, decltype(rows)::value, Vectors, PanelWidth,
                             in_tile, decltype(place)::value>(
              x, w, bias, y + column * Product.written.pixel, line, column, alpha);
        });
  } else {
    constexpr index_range full = Product.columns.full_outputs();
    const auto some = [&](auto rows, std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      window_tile<Architecture, Product, rows, Vectors, PanelWidth, in_tile>(
          x, w, bias, y + column * Product.written.pixel, line, column, alpha);
    };
    for (std::int32_t column = 0; column < full.begin; ++column) {
      some(std::integral_constant<int, 1>(), column);
    }
    if constexpr (full.begin < full.end) {
      constexpr int outputs = full.end - full.begin;
      // g++ 12.2 fails on a member of a constant in this lambda.
      constexpr std::int32_t first_full = full.begin;
      tile_rows<Architecture, outputs, Vectors>(
          {0, row_tiles(outputs, Vectors, Architecture).parts()},
          [&](auto rows, std::int32_t first)
              IPU_DSL_ALWAYS_INLINE_LAMBDA { some(rows, first_full + first); });
    }
    for (std::int32_t column = full.end; column < Product.columns.outputs; ++column) {
      some(std::integral_constant<int, 1>(), column);
    }
  }
  if constexpr (!applied_in_registers(Kind)) {
    activate_block<Kind, Architecture>(y, Product.written.pixel, Product.columns.outputs,
                                       Vectors * Architecture.lanes, units, alpha);
  }
}

/// y = activation(windows of x times w + bias), or a grain of it.
///   x     images of `depth` numbers a pixel
///   w     panels of [taps, depth, units]; bias  [bias_elements(units)] or null
///   y     pixels of row_stride(units) floats at least, of which these are written
template <window_product Product, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void multiply_windows(const float* __restrict x, const float* __restrict w,
                      const float* __restrict bias, float* __restrict y, float alpha,
                      const grain& part = {}) noexcept {
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
    for (std::int32_t number = mine.begin; number < mine.end; ++number) {
      const std::int32_t sample = number / Product.lines_of_sample();
      const std::int32_t line = number % Product.lines_of_sample();
      for (std::int32_t first = 0; first < panel_vectors; first += together) {
        const std::int32_t within = first * Architecture.lanes;
        const std::int32_t n = panel * width + within;
        window_line<Architecture, Product, together, width, Kind>(
            x + sample * Product.read.sample + Product.first_read(n),
            w + panel * panel_size + within, bias == nullptr ? nullptr : bias + n,
            y + sample * Product.written.sample + Product.written_line(line) + n, line,
            Product.units - n, alpha);
      }
    }
  };
  if constexpr (pixelwise_cut<Product, Architecture>::suits()) {
    multiply_by_pixels<Product, Kind, Architecture>(x, w, bias, y, alpha, part);
    return;
  }
  if constexpr (Product.is_row_by_matrix() && applied_in_registers(Kind)) {
    if (part.count == 1) {
      dense_forward_sample<Architecture, Product.depth, Product.units, Kind>(x, w, bias, y, alpha);
      return;
    }
  }
  if constexpr (lines > 0 && Product.columns.outputs > 0) {
    columns_of_grain(columns.full_panels, lines, part,
                     [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                       some_lines(std::integral_constant<int, vectors>(), panel, mine);
                     });
    if constexpr (rest_vectors > 0) {
      some_lines(std::integral_constant<int, rest_vectors>(), columns.full_panels,
                 range_of(lines, part));
    }
  }
}

/// Of each tap's weights the transpose: from panels of [taps, inputs, units] to those of
/// [taps, units, inputs], or a grain of the taps. Padding that a product reads becomes zero.
template <std::int32_t Taps, std::int32_t Inputs, std::int32_t Units,
          layout::architecture Architecture = layout::native>
void transpose_taps(const float* __restrict w, float* __restrict transposed,
                    const grain& part = {}) noexcept {
  constexpr layout::panels from(Taps * Inputs, Units, Architecture);
  constexpr layout::panels to(Taps * Units, Inputs, Architecture);
  constexpr std::int32_t padded = layout::row_stride(Inputs, Architecture);
  const index_range mine = range_of(Taps, part);
  for (std::int32_t tap = mine.begin; tap < mine.end; ++tap) {
    for (std::int32_t unit = 0; unit < Units; unit += quad_lanes) {
      for (std::int32_t input = 0; input < padded; input += quad_lanes) {
        quad block[4];
        IPU_DSL_UNROLLED
        for (int i = 0; i < 4; ++i) {
          block[i] = input + i < Inputs
                         ? load<quad>(w + from.offset(tap * Inputs + input + i, unit))
                         : quad(0.0F);
        }
        transpose_quads(block);
        IPU_DSL_UNROLLED
        for (int i = 0; i < 4; ++i) {
          if (unit + i < Units) {
            store(transposed + to.offset(tap * Units + unit + i, input), block[i]);
          }
        }
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
