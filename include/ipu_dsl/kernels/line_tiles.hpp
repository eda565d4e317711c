// SPDX-License-Identifier: MIT
// How a line of outputs of a product over windows is cut into register tiles, those at the rims
// included.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/register_tile.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Where a tile stands, instead of a constant place at a rim.
enum tile_place : std::int32_t {
  any_column = -1,   ///< anywhere where all taps are met
  asked_column = -2  ///< at a rim: each output is asked about each tap
};

/// Whether output `i` of a tile that begins at `column` meets a source at a tap. At the rims
/// `Place` is where the tile begins, so that the compiler leaves out what is not met.
template <std::int32_t Place>
constexpr bool meets_in_tile(const window_axis& columns, std::int32_t column, std::int32_t i,
                             std::int32_t tap) {
  return Place == any_column || columns.meets((Place == asked_column ? column : Place) + i, tap);
}

/// A line cut evenly into tiles of at most `Most` outputs.
template <window_axis Columns, std::int32_t Most>
struct line_cut {
  static constexpr layout::balanced_split split = layout::split_evenly(Columns.outputs, Most);
  static constexpr std::int32_t parts = split.parts();

  /// Tiles that meet all taps at all their outputs.
  static constexpr index_range find_inner() {
    const index_range full = Columns.full_outputs();
    index_range found = {0, parts};
    while (found.begin < parts && split.begin(found.begin) < full.begin) {
      ++found.begin;
    }
    while (found.end > found.begin && split.begin(found.end) > full.end) {
      --found.end;
    }
    return found;
  }

  static constexpr std::int32_t inner_begin = find_inner().begin;
  static constexpr std::int32_t inner_end = find_inner().end;
  static constexpr std::int32_t behind = parts - inner_end;
  /// More of them would be too much code.
  static constexpr bool constant_rims = inner_begin + behind <= 4;

  template <std::int32_t Part>
  static constexpr std::int32_t begin = split.begin(Part);
};

/// Calls `body(std::integral_constant<int, outputs>, std::integral_constant<std::int32_t, place>,
/// column)` for the tiles of a line, in ascending order.
template <window_axis Columns, std::int32_t Most, typename Body>
IPU_DSL_ALWAYS_INLINE void tiles_of_line(const Body& body) {
  using cut = line_cut<Columns, Most>;
  const auto parts = [&](auto place, std::int32_t begin,
                         std::int32_t end) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    parts_of<Columns.outputs, Most>(
        {begin, end}, [&](auto outputs, std::int32_t column)
                          IPU_DSL_ALWAYS_INLINE_LAMBDA { body(outputs, place, column); });
  };
  const auto rim = [&]<std::int32_t Begin, std::int32_t... Parts>(
                       std::integral_constant<std::int32_t, Begin>,
                       std::integer_sequence<std::int32_t, Parts...>) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    if constexpr (cut::constant_rims) {
      (body(std::integral_constant<int, cut::template begin<Begin + Parts + 1> -
                                            cut::template begin<Begin + Parts>>(),
            std::integral_constant<std::int32_t, cut::template begin<Begin + Parts>>(),
            cut::template begin<Begin + Parts>),
       ...);
    } else {
      parts(std::integral_constant<std::int32_t, asked_column>(), Begin,
            Begin + static_cast<std::int32_t>(sizeof...(Parts)));
    }
  };
  rim(std::integral_constant<std::int32_t, 0>(),
      std::make_integer_sequence<std::int32_t, cut::inner_begin>());
  if constexpr (cut::inner_begin < cut::inner_end) {
    parts(std::integral_constant<std::int32_t, any_column>(), cut::inner_begin, cut::inner_end);
  }
  rim(std::integral_constant<std::int32_t, cut::inner_end>(),
      std::make_integer_sequence<std::int32_t, cut::behind>());
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
