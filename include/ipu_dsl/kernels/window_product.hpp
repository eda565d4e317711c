// SPDX-License-Identifier: MIT
// Products over windows of images with weights in panels: the forward pass of a convolution, and
// the gradient of its input.
// Over 300 lines: one product, what it meets where, and its three register tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_forward_sample.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Distances between neighbours, in floats.
struct image_strides {
  std::ptrdiff_t sample;
  std::ptrdiff_t row;
  std::ptrdiff_t pixel;
  std::ptrdiff_t plane = 0;  ///< of images of one plane it says nothing
};

/// Of an image of one plane.
inline constexpr window_axis single_plane{1, 1, 1, 1, 0, 1, 0, 1};

/// The rows of a kernel that a line of outputs meets: all of some planes, of each these rows.
struct met_taps {
  index_range planes;
  index_range rows;

  constexpr std::int32_t count() const {
    const bool any = planes.begin < planes.end && rows.begin < rows.end;
    return any ? (planes.end - planes.begin) * (rows.end - rows.begin) : 0;
  }
};

/// What is read: `depth` numbers a pixel, weighted by panels of [taps, depth, units].
struct window_product {
  std::int32_t samples;
  window_axis rows;
  window_axis columns;
  std::int32_t depth;
  std::int32_t units;
  std::int32_t kernel_columns;  ///< taps of a row of the kernel
  std::int32_t kernel_taps;     ///< of the whole kernel
  image_strides read;
  image_strides written;
  /// Each unit reads numbers of its own: of a pixel, a row of all units for each of the depth.
  bool lanewise = false;
  window_axis planes = single_plane;
  std::int32_t kernel_rows = 1;  ///< of a plane of the kernel, where it has several

  /// Rows of outputs, of all planes of a sample.
  constexpr std::int32_t lines_of_sample() const { return planes.outputs * rows.outputs; }

  /// The same of all samples.
  constexpr std::int32_t lines() const { return samples * lines_of_sample(); }

  /// Of one plane a line is a row: there is nothing to divide.
  constexpr std::int32_t plane_of(std::int32_t line) const {
    return planes.outputs == 1 ? 0 : line / rows.outputs;
  }

  constexpr std::int32_t row_of(std::int32_t line) const {
    return planes.outputs == 1 ? line : line % rows.outputs;
  }

  constexpr std::ptrdiff_t written_line(std::int32_t line) const {
    return plane_of(line) * written.plane + row_of(line) * written.row;
  }

  constexpr met_taps taps_met(std::int32_t line) const {
    return {planes.taps_at(plane_of(line)), rows.taps_at(row_of(line))};
  }

  /// Of the row of taps with this number among those that are met.
  constexpr std::int32_t plane_tap(const met_taps& met, std::int32_t number) const {
    const std::int32_t length = met.rows.end - met.rows.begin;
    return met.planes.begin + (planes.taps == 1 ? 0 : number / length);
  }

  constexpr std::int32_t row_tap(const met_taps& met, std::int32_t number) const {
    const std::int32_t length = met.rows.end - met.rows.begin;
    return met.rows.begin + (planes.taps == 1 ? number : number % length);
  }

  /// Where the row of sources begins that a line meets at a row of taps.
  constexpr std::ptrdiff_t source_row(std::int32_t line, std::int32_t plane_tap,
                                      std::int32_t row_tap) const {
    return planes.source(plane_of(line), plane_tap) * read.plane +
           rows.source(row_of(line), row_tap) * read.row;
  }

  /// The number of its first tap in the kernel.
  constexpr std::int32_t first_position(std::int32_t plane_tap, std::int32_t row_tap) const {
    const std::int32_t row = rows.position_of(row_tap);
    return (planes.position_of(plane_tap) * kernel_rows + row) * kernel_columns;
  }

  /// A single pixel against a single tap.
  constexpr bool is_row_by_matrix() const {
    return lines() == 1 && columns.outputs == 1 && kernel_taps == 1 && columns.meets(0, 0) &&
           rows.meets(0, 0);
  }

  /// Whether what neighbouring taps of a row meet lies beside each other, as their weights do.
  constexpr bool joins_taps() const {
    return columns.slope == 1 && columns.tap_step == 1 && read.pixel == depth;
  }

  /// Whether sums stay in registers from tap to tap: between stretches as short as those of few
  /// channels, storing and loading them costs more than the products.
  constexpr bool has_short_stretches() const {
    const std::int32_t stretch = joins_taps() ? columns.taps * depth : depth;
    return !lanewise && kernel_taps > 1 && stretch < 32;
  }
};

/// `Rows` outputs beside each other of one line of a product in which each unit reads numbers of
/// its own. Each is one chain, as in `window_tile`; sums stay in registers from tap to tap.
template <layout::architecture Architecture, window_product Product, int Rows, int Vectors,
          int PanelWidth, activation_kind Kind>
[[gnu::noinline]] void lanewise_tile(const float* __restrict x, const float* __restrict w,
                                     const float* __restrict bias, float* __restrict y,
                                     std::int32_t line, std::int32_t column, float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  constexpr std::ptrdiff_t deeper = layout::row_stride(Product.units, Architecture);
  const met_taps outer = Product.taps_met(line);
  const index_range column_taps = Product.columns.taps_at(column);
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * width);
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      sums[row][v] = start;
    }
  }
  for (std::int32_t number = 0; number < outer.count(); ++number) {
    const std::int32_t plane_tap = Product.plane_tap(outer, number);
    const std::int32_t row_tap = Product.row_tap(outer, number);
    const float* const source = x + Product.source_row(line, plane_tap, row_tap);
    const std::int32_t first_tap = Product.first_position(plane_tap, row_tap);
    for (std::int32_t tap = column_taps.begin; tap < column_taps.end; ++tap) {
      const float* from = source + Product.columns.source(column, tap) * Product.read.pixel;
      const std::int32_t position = first_tap + Product.columns.position_of(tap);
      const float* weights = w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
#pragma GCC unroll 1
      for (std::int32_t k = 0; k < Product.depth; ++k) {
        lanes factors[std::size_t{Vectors}];
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          factors[v] = load_once<lanes>(weights + v * width);
        }
        IPU_DSL_UNROLLED
        for (int row = 0; row < Rows; ++row) {
          IPU_DSL_UNROLLED
          for (int v = 0; v < Vectors; ++v) {
            const lanes sample = load<lanes>(from + row * stride + v * width);
            sums[row][v] = multiply_add(sample, factors[v], sums[row][v]);
          }
        }
        from += deeper;
        weights += PanelWidth;
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

/// The same as `window_tile` of few channels: sums stay in registers from tap to tap. `Rim` is a
/// tile whose outputs meet different taps, each asked about every one of them.
template <layout::architecture Architecture, window_product Product, int Rows, int Vectors,
          int PanelWidth, activation_kind Kind, bool Rim>
[[gnu::noinline]] void short_stretch_tile(const float* __restrict x, const float* __restrict w,
                                          const float* __restrict bias, float* __restrict y,
                                          std::int32_t line, std::int32_t column,
                                          float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::ptrdiff_t stride = Product.columns.step * Product.read.pixel;
  constexpr bool joined = Product.joins_taps() && !Rim;
  constexpr std::int32_t joined_length = Product.columns.taps * Product.depth;
  constexpr bool unrolled = joined && joined_length <= 16;
  const met_taps outer = Product.taps_met(line);
  const index_range taps =
      Rim ? index_range{0, Product.columns.taps} : Product.columns.taps_at(column);
  const std::int32_t met = taps.begin < taps.end ? taps.end - taps.begin : 0;
  const std::int32_t stretches = joined && met > 0 ? 1 : met;
  const std::int32_t length = joined ? met * Product.depth : Product.depth;
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
      if (!Rim || Product.columns.meets(column + row, tap)) {
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
    for (std::int32_t i = 0; i < stretches; ++i) {
      const std::int32_t tap = taps.begin + i;
      const std::int32_t position = first_tap + Product.columns.position_of(tap);
      const float* const weights = w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
      const std::ptrdiff_t at = Product.columns.source(column, tap) * Product.read.pixel;
      if constexpr (unrolled) {
        // Rolled, so short a loop ends before it is at speed (3x3 3 to 32 on AVX2: 40 %, unrolled
        // 80 %).
        IPU_DSL_UNROLLED
        for (std::int32_t k = 0; k < joined_length; ++k) {
          add(source, at + k, weights + k * PanelWidth, tap);
        }
      } else {
#pragma GCC unroll 1
        for (std::int32_t k = 0; k < length; ++k) {
          add(source, at + k, weights + k * PanelWidth, tap);
        }
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

/// One line of outputs for `Vectors` vectors of one panel, of which `units` columns are units. The
/// outputs at the rims meet fewer taps than others and are computed one by one, or side by side
/// where stretches are short.
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind>
[[gnu::noinline]] void window_line(const float* x, const float* w, const float* bias, float* y,
                                   std::int32_t line, std::int32_t units, float alpha) noexcept {
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr index_range full = Product.columns.full_outputs();
  const auto some = [&](auto rows, std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    float* const to = y + column * Product.written.pixel;
    if constexpr (Product.lanewise) {
      lanewise_tile<Architecture, Product, rows, Vectors, PanelWidth, in_tile>(x, w, bias, to, line,
                                                                               column, alpha);
    } else if constexpr (Product.has_short_stretches()) {
      short_stretch_tile<Architecture, Product, rows, Vectors, PanelWidth, in_tile, false>(
          x, w, bias, to, line, column, alpha);
    } else {
      window_tile<Architecture, Product, rows, Vectors, PanelWidth, in_tile>(x, w, bias, to, line,
                                                                             column, alpha);
    }
  };
  const auto rim = [&](auto from, auto to) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr std::int32_t begin = from;
    constexpr std::int32_t outputs = to - from;
    if constexpr (Product.has_short_stretches() && outputs > 0) {
      tile_rows<Architecture, outputs, Vectors>(
          {0, row_tiles(outputs, Vectors, Architecture).parts()},
          [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
            const std::int32_t column = begin + first;
            short_stretch_tile<Architecture, Product, rows, Vectors, PanelWidth, in_tile, true>(
                x, w, bias, y + column * Product.written.pixel, line, column, alpha);
          });
    } else {
      for (std::int32_t column = begin; column < to; ++column) {
        some(std::integral_constant<int, 1>(), column);
      }
    }
  };
  rim(std::integral_constant<std::int32_t, 0>(),
      std::integral_constant<std::int32_t, full.begin>());
  if constexpr (full.begin < full.end) {
    constexpr int outputs = full.end - full.begin;
    // g++ 12.2 fails on a member of a constant in this lambda.
    constexpr std::int32_t first_full = full.begin;
    tile_rows<Architecture, outputs, Vectors>(
        {0, row_tiles(outputs, Vectors, Architecture).parts()},
        [&](auto rows, std::int32_t first)
            IPU_DSL_ALWAYS_INLINE_LAMBDA { some(rows, first_full + first); });
  }
  rim(std::integral_constant<std::int32_t, full.end>(),
      std::integral_constant<std::int32_t, Product.columns.outputs>());
  if constexpr (!applied_in_registers(Kind)) {
    activate_block<Kind, Architecture>(y, Product.written.pixel, Product.columns.outputs,
                                       Vectors * Architecture.lanes, units, alpha);
  }
}

/// y = activation(windows of x times w + bias), or a grain of it.
///   x     images of `depth` numbers a pixel; of a product by lanes [depth][row_stride(units)]
///   w     panels of [taps, depth, units]; bias  [bias_elements(units)] or null
///   y     pixels of row_stride(units) floats at least, of which these are written
template <window_product Product, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void multiply_windows(const float* __restrict x, const float* __restrict w,
                      const float* __restrict bias, float* __restrict y, float alpha,
                      const grain& part = {}) noexcept {
  // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
  constexpr panel_columns columns(Product.units, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr std::int32_t lines = Product.lines();
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  const auto some_lines = [&](auto panel_vectors, std::int32_t panel,
                              const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t n = panel * width;
    for (std::int32_t number = mine.begin; number < mine.end; ++number) {
      const std::int32_t sample = number / Product.lines_of_sample();
      const std::int32_t line = number % Product.lines_of_sample();
      window_line<Architecture, Product, panel_vectors, width, Kind>(
          x + sample * Product.read.sample + (Product.lanewise ? n : 0), w + panel * panel_size,
          bias == nullptr ? nullptr : bias + n,
          y + sample * Product.written.sample + Product.written_line(line) + n, line,
          Product.units - n, alpha);
    }
  };
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
