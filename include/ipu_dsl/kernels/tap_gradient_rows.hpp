// SPDX-License-Identifier: MIT
// What some lines of outputs beside each other add to the weights of some rows of the kernel, and
// to the bias: which lines go together, and tile after tile of it.
#pragma once

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
/// each is read once: with sixteen, all of a line of the cache; with eight, which are half of one,
/// it pays where images are copied first and lie a kilobyte apart (3x3, 512 channels, 14x14, 0.86
/// of the time; 128 channels, 28x28, 1.08).
template <layout::architecture Architecture, window_product Product>
constexpr std::int32_t lines_of_tap_tile() {
  if (Product.lanewise != 0) {
    const bool copies = copies_lines<Architecture, Product>() && Product.written.pixel % 256 == 0;
    return Architecture.lanes == 16 || copies ? 8 : 1;
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
                line_parts<Architecture, Product>::count == 1);
  const met_taps met = Product.taps_met(line);
  std::int32_t behind = line + 1;
  while (behind < end && behind - line < most &&
         Product.plane_of(behind) == Product.plane_of(line) && Product.taps_met(behind) == met) {
    ++behind;
  }
  return behind - line;
}

/// What some columns of lines that are alike add to some rows of the kernel, which lie in one plane
/// of it, and to `bias_sums` unless they are null or the tiles leave the bias out.
template <layout::architecture Architecture, window_product Product, weights_lying Lying,
          index_range Part>
IPU_DSL_ALWAYS_INLINE void tap_gradient_rows(const float* x, const float* d, float* sums,
                                             std::int32_t line, std::int32_t plane_tap,
                                             float* bias_sums, const index_range& rows,
                                             std::int32_t units, std::int32_t lines) {
  using places = weight_places<Product, Lying, Architecture>;
  using blocks = tap_blocks<Product, Architecture>;
  if (sums_bias_in_tiles<Product, Architecture> && bias_sums != nullptr && rows.begin == rows.end) {
    add_bias_of_columns<Architecture, Product, Part>(d, bias_sums, lines);
  }
  const auto some = [&](auto together, std::int32_t row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int rows_together = decltype(together)::value;
    const float* const source = x + Product.source_row(line, plane_tap, row);
    float* const to = sums + (plane_tap * Product.rows.taps + row) * places::row;
    const auto all =
        [&]<std::int32_t... Numbers>(std::integer_sequence<std::int32_t, Numbers...>)
            IPU_DSL_ALWAYS_INLINE_LAMBDA {
              (tap_gradient_lines<Architecture, Product, blocks::vectors, rows_together,
                                  blocks::block(Numbers), Lying, Part>(
                   source, d, to + blocks::block(Numbers).first * places::tap,
                   row == rows.begin && Numbers == 0 ? bias_sums : nullptr, units, lines),
               ...);
            };
    all(std::make_integer_sequence<std::int32_t, blocks::count>());
  };
  std::int32_t row = rows.begin;
  for (; row + blocks::rows <= rows.end; row += blocks::rows) {
    some(std::integral_constant<int, blocks::rows>(), row);
  }
  for (; row < rows.end; ++row) {
    some(std::integral_constant<int, 1>(), row);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
