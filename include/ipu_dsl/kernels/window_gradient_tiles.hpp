// SPDX-License-Identifier: MIT
// How the gradient of the weights of a product over windows is cut into register tiles: by taps, or
// by rows of them.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_gradient_row.hpp>
#include <ipu_dsl/kernels/window_gradient_tap.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The tiles of `Vectors` vectors of units.
template <layout::architecture Architecture, window_product Product, int Vectors>
struct gradient_tiles {
  static constexpr bool by_rows = goes_by_rows_of_taps(Product, Vectors, Architecture);
  /// Of one tap, or of one row of them.
  static constexpr std::int32_t of_place =
      by_rows ? layout::split_evenly(Product.depth,
                                     inputs_of_row_tile(Product.kernel_columns, Architecture))
                    .parts()
              : row_tiles(Product.depth, Vectors, Architecture).parts();
  static constexpr std::int32_t count =
      of_place * (by_rows ? Product.kernel_taps / Product.kernel_columns : Product.kernel_taps);
};

/// Some of them, of a block of lines.
///   d, to  of the first of the units
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          typename Rule>
IPU_DSL_ALWAYS_INLINE void window_gradient_tiles(const float* x, const float* d,
                                                 const gradient_target<Rule>& to,
                                                 const index_range& mine, const index_range& block,
                                                 const gradient_step<Rule>& step) {
  using cut = gradient_tiles<Architecture, Product, Vectors>;
  columns_in_range(cut::of_place, mine,
                   [&](std::int32_t place, const index_range& tiles) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                     if constexpr (cut::by_rows) {
                       window_gradient_row<Architecture, Product, PanelWidth, Rule>(
                           x, d, to, place, tiles, block, step);
                     } else {
                       window_gradient_tap<Architecture, Product, Vectors, PanelWidth, Rule>(
                           x, d, to, place, tiles, block, step);
                     }
                   });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
