// SPDX-License-Identifier: MIT
// What some lines of outputs beside each other add to the weights of some rows of the kernel, and
// to the bias: which lines go together, and tile after tile of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_copies.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tap_blocks.hpp>
#include <ipu_dsl/kernels/tap_gradient_tile.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What some columns of some lines add to a bias where no row of the kernel meets anything.
template <layout::architecture Architecture, window_product Product, index_range Part>
void add_bias_of_columns(const float* d, float* bias_sums, std::int32_t lines) {
  using lanes = vector<Architecture>;
  constexpr int vectors = tap_blocks<Product, Architecture>::vectors;
  for (std::int32_t v = 0; v < vectors * Architecture.lanes; v += Architecture.lanes) {
    lanes sum = load<lanes>(bias_sums + v);
    for (std::int32_t line = 0; line < lines; ++line) {
      const float* const of_line = d + line * Product.written.row + v;
      for (std::int32_t column = Part.begin; column < Part.end; ++column) {
        sum = sum + load<lanes>(of_line + column * Product.written.pixel);
      }
    }
    store(bias_sums + v, sum);
  }
}

/// Of how many lines beside each other a tile keeps its sums in registers, at most. Where all units
/// read the same numbers, tiles read lines of d again and again: as many as take 32 KB. By lanes
/// only another row of tiles does: of copies any number (3x3, 512 channels, 14x14: 0.97 of the time
/// of eight), otherwise with sixteen, which are all of a line of the cache, eight (128 channels,
/// 112x112: 0.88 of the time of any number).
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lines_of_tap_tile() {
  if (Product.lanewise != 0) {
    const std::int32_t apart = Architecture.lanes == 16 ? 8 : 1;
    return copies_lines<Architecture, Product>() ? Product.rows.outputs : apart;
  }
  constexpr std::ptrdiff_t room = 32 * 1024 / sizeof(float);
  constexpr std::ptrdiff_t line = Product.columns.outputs * Product.written.pixel;
  const bool several = Architecture.registers >= 32 && line > 0 && line < room;
  return static_cast<std::int32_t>(several ? room / line : 1);
}

/// How many lines behind each other, of those from `line` up to `end`, go into a tile together:
/// they lie in one plane and meet the same rows of the kernel. Of lines that are walked in parts
/// one: each goes on where the one before it ended.
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lines_alike(std::int32_t line, std::int32_t end) {
  constexpr std::int32_t most = lines_of_tap_tile<Architecture, Product>();
  static_assert(most == 1 || copies_lines<Architecture, Product>() ||
                    line_parts<Architecture, Product>::count == 1,
                "lines that are walked in parts go into tiles one by one");
  // Of most lines it is known without looking at each.
  constexpr index_range full = Product.rows.full_outputs();
  if (Product.planes.outputs == 1 && line >= full.begin && line < full.end) {
    return (std::min)(most, (std::min)(end, full.end) - line);
  }
  const met_taps met = Product.taps_met(line);
  std::int32_t behind = line + 1;
  while (behind < end && behind - line < most &&
         Product.plane_of(behind) == Product.plane_of(line) && Product.taps_met(behind) == met) {
    ++behind;
  }
  return behind - line;
}

/// What some columns of lines that are alike add to some rows of the kernel, which lie in one plane
/// of it, and to `bias_sums` unless they are null or the tiles leave the bias out. `copier` copies
/// lines: in the tile while it multiplies, if one has all these rows, otherwise before.
template <layout::architecture Architecture, window_product Product, weights_lying Lying,
          index_range Part, typename Copier = no_copier>
IPU_DSL_ALWAYS_INLINE void tap_gradient_rows(const float* x, const float* d, float* sums,
                                             std::int32_t line, std::int32_t plane_tap,
                                             float* bias_sums, const index_range& rows,
                                             std::int32_t units, std::int32_t lines,
                                             Copier copier = {}) {
  using places = weight_places<Product, Lying, Architecture>;
  using blocks = tap_blocks<Product, Architecture>;
  if (sums_bias_in_tiles<Product, Architecture> && bias_sums != nullptr && rows.begin == rows.end) {
    add_bias_of_columns<Architecture, Product, Part>(d, bias_sums, lines);
  }
  const auto some = [&](auto together, std::int32_t row,
                        const auto& copying) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int rows_together = decltype(together)::value;
    const float* const source = x + Product.source_row(line, plane_tap, row);
    float* const to = sums + (plane_tap * Product.rows.taps + row) * places::row;
    const auto all =
        [&]<std::int32_t... Numbers>(std::integer_sequence<std::int32_t, Numbers...>)
            IPU_DSL_ALWAYS_INLINE_LAMBDA {
              (tap_gradient_lines<Architecture, Product, blocks::vectors, rows_together,
                                  blocks::block(Numbers), Lying, Part>(
                   source, d, to + blocks::block(Numbers).first * places::tap,
                   row == rows.begin && Numbers == 0 ? bias_sums : nullptr, units, lines, copying),
               ...);
            };
    all(std::make_integer_sequence<std::int32_t, blocks::count>());
  };
  constexpr std::integral_constant<int, blocks::rows> most;
  constexpr std::integral_constant<int, 2> two;
  constexpr std::integral_constant<int, 1> one;
  constexpr no_copier nothing;
  if constexpr (!std::is_same_v<Copier, no_copier>) {
    if constexpr (blocks::count == 1) {
      const std::int32_t count = rows.end - rows.begin;
      if (count == most) {
        return some(most, rows.begin, copier);
      }
      if constexpr (most > two) {
        if (count == two) {
          return some(two, rows.begin, copier);
        }
      }
    }
    copier.copy_lines(lines);
  }
  std::int32_t row = rows.begin;
  for (; row + most <= rows.end; row += most) {
    some(most, row, nothing);
  }
  if constexpr (most > two) {
    for (; row + two <= rows.end; row += two) {
      some(two, row, nothing);
    }
  }
  for (; row < rows.end; ++row) {
    some(one, row, nothing);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
