// SPDX-License-Identifier: MIT
// How an extent is walked in register tiles.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The columns of a layer as full panels and the vectors of the last one that hold units.
struct panel_columns {
  std::int32_t width;    ///< elements of a panel's row
  std::int32_t vectors;  ///< vectors of a panel's row
  std::int32_t full_panels;
  std::int32_t rest_vectors;  ///< of one more panel; zero if there is none

  constexpr panel_columns(std::int32_t outputs, layout::architecture target)
      : width(layout::panel_width(outputs, target)),
        vectors(width / target.lanes),
        full_panels(layout::ceiling_quotient(outputs, target.lanes) / vectors),
        rest_vectors(layout::ceiling_quotient(outputs, target.lanes) % vectors) {}
};

/// Calls `body(std::integral_constant<int, rows>, first row)` for the tiles that cover `Extent`
/// rows with `Vectors` vectors each, in ascending order. There are at most two sizes of tile.
template <layout::architecture Architecture, int Extent, int Vectors, typename Body>
IPU_DSL_ALWAYS_INLINE void tile_rows(const Body& body) {
  constexpr layout::balanced_split split =
      layout::split_evenly(Extent, layout::max_tile_rows(Vectors, Architecture));
  std::int32_t first = 0;
  for (std::int32_t tile = 0; tile < split.larger; ++tile) {
    body(std::integral_constant<int, split.size>(), first);
    first += split.size;
  }
  if constexpr (split.smaller > 0) {
    for (std::int32_t tile = 0; tile < split.smaller; ++tile) {
      body(std::integral_constant<int, split.size - 1>(), first);
      first += split.size - 1;
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
