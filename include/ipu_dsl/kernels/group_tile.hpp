// SPDX-License-Identifier: MIT
// Register tiles of products over windows of small groups: units that read as many numbers as they
// are, which lie in the same lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/lanewise_tile.hpp>
#include <ipu_dsl/kernels/line_tiles.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Lines of outputs that a tile of such a product computes together, so that a number is laid out
/// for several of them: where outputs below each other meet each other's sources.
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t group_tile_lines() {
  const bool one_plane = Product.planes.outputs == 1 && Product.planes.taps == 1;
  const std::int32_t most = Architecture.registers >= 32 ? 4 : 2;
  // The code of larger kernels would not stay in its cache.
  const std::int32_t taps = Product.rows.taps * Product.columns.taps;
  const bool suits = one_plane && shares_sources(Product.rows) && taps <= 9;
  return suits && Product.rows.outputs >= most ? most : 1;
}

/// Outputs beside each other of a tile of `lines` lines: beside their sums a weight of each line
/// and a number stay in registers. (Of two lines with 16 registers one more: 1.1 of the time; of
/// four with 32: 1.02.)
constexpr std::int32_t group_tile_columns(std::int32_t lines, layout::architecture target) {
  return lines == 1 ? lanewise_tile_columns(target) / 2 : (target.registers - 2) / lines - 2;
}

/// `Lines` lines below each other of `Columns` outputs beside each other, one vector of units. Each
/// is one chain as in `lanewise_tile`. A number of a group is repeated in the group's lanes, once
/// for all lines that meet it at a tap of the row.
template <layout::architecture Architecture, window_product Product, int Lines, int Columns,
          std::int32_t Place, int PanelWidth, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void group_tile(const float* __restrict x, const float* __restrict w,
                                      const float* __restrict bias, float* __restrict y,
                                      std::int32_t line, std::int32_t column,
                                      float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr window_axis rows = Product.rows;
  constexpr window_axis columns = Product.columns;
  constexpr std::ptrdiff_t apart = std::ptrdiff_t{columns.step} * Product.read.pixel;
  lanes sums[std::size_t{Lines}][std::size_t{Columns}];
  const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias);
  IPU_DSL_UNROLLED
  for (int i = 0; i < Lines * Columns; ++i) {
    sums[i / Columns][i % Columns] = start;
  }
  // What some lines meet at one tap, each with weights of its own row. All lines are asked: of
  // loops between bounds that clang does not know it makes as many copies as it may.
  const auto add_tap = [&](const float* from, const float* const* weights, const index_range& some,
                           std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const auto add_number = [&](auto number) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      constexpr std::int32_t k = decltype(number)::value;
      lanes factors[std::size_t{Lines}];
      IPU_DSL_UNROLLED
      for (int j = 0; j < Lines; ++j) {
        if (j >= some.begin && j < some.end) {
          factors[j] = load_once<lanes>(weights[j] + k * PanelWidth);
        }
      }
      IPU_DSL_UNROLLED
      for (int i = 0; i < Columns; ++i) {
        if (meets_in_tile<Place>(columns, column, i, tap)) {
          const lanes met = repeat_in_groups<Product.lanewise, k>(load<lanes>(from + i * apart));
          IPU_DSL_UNROLLED
          for (int j = 0; j < Lines; ++j) {
            if (j >= some.begin && j < some.end) {
              sums[j][i] = multiply_add(met, factors[j], sums[j][i]);
            }
          }
        }
      }
    };
    // Not a loop: g++ 12 would keep what it loads for the next number, in more registers than there
    // are (1.1 to 1.6 of the time).
    add_number(std::integral_constant<std::int32_t, 0>());
    add_number(std::integral_constant<std::int32_t, 1>());
    if constexpr (Product.depth == 4) {
      add_number(std::integral_constant<std::int32_t, 2>());
      add_number(std::integral_constant<std::int32_t, 3>());
    }
  };
  const auto weights_of = [&](std::int32_t first_position,
                              std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t position = first_position + columns.position_of(tap);
    return w + std::ptrdiff_t{position} * Product.depth * PanelWidth;
  };
  const float* const first_column = x + columns.source(column, 0) * Product.read.pixel;
  const auto source_at = [&](const float* row, std::int32_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return row + std::ptrdiff_t{columns.slope} * tap * Product.read.pixel;
  };
  if constexpr (Lines > 1) {
    constexpr bool ascending = rows.slope > 0;
    const std::int32_t first_row = rows.source(ascending ? line : line + Lines - 1, 0);
    IPU_DSL_UNROLLED
    for (std::int32_t read = 0; read < Lines + rows.taps - 1; ++read) {
      const std::int32_t row = first_row + rows.slope * read;
      if (row < 0 || row >= rows.sources) {
        continue;
      }
      const index_range some = {(std::max)(0, read - rows.taps + 1), (std::min)(Lines, read + 1)};
      IPU_DSL_UNROLLED
      for (std::int32_t tap = 0; tap < columns.taps; ++tap) {
        const float* weights[std::size_t{Lines}];
        IPU_DSL_UNROLLED
        for (int j = 0; j < Lines; ++j) {
          if (j >= some.begin && j < some.end) {
            weights[j] = weights_of(Product.first_position(0, read - j), tap);
          }
        }
        add_tap(source_at(first_column + row * Product.read.row, tap), weights, some, tap);
      }
    }
  } else {
    const met_taps outer = Product.taps_met(line);
    for (std::int32_t number = 0; number < outer.count(); ++number) {
      const std::int32_t plane_tap = Product.plane_tap(outer, number);
      const std::int32_t row_tap = Product.row_tap(outer, number);
      const float* const row = first_column + Product.source_row(line, plane_tap, row_tap);
      const std::int32_t first_tap = Product.first_position(plane_tap, row_tap);
#pragma GCC unroll 1
      for (std::int32_t tap = 0; tap < columns.taps; ++tap) {
        const float* const weights[] = {weights_of(first_tap, tap)};
        add_tap(source_at(row, tap), weights, {0, 1}, tap);
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int j = 0; j < Lines; ++j) {
    float* const of_line = y + (rows.slope > 0 ? j : Lines - 1 - j) * Product.written.row;
    IPU_DSL_UNROLLED
    for (int i = 0; i < Columns; ++i) {
      store(of_line + i * Product.written.pixel, activate<Kind>(sums[j][i], alpha));
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
