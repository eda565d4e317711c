// SPDX-License-Identifier: MIT
// The gradients of weights and bias of a product over windows, and the update that may follow while
// they are in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/group_gradient.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/paired_gradient.hpp>
#include <ipu_dsl/kernels/tap_gradient.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/window_gradient_tiles.hpp>
#include <ipu_dsl/kernels/window_product.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The gradients of w and bias of `multiply_windows` with a `forward_axis` along both axes, from
/// the gradient d of what it writes before the activation; or a grain of them, added to what is
/// there if the step continues, and in the last step of an update the update by `Rule`.
///   x, d    lie as `Product` reads and writes
///   kernel  all panels of [taps, depth, units]
///   bias    all [bias_elements(units)]; its sum is null for a layer without one
template <window_product Product, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void gradient_of_windows(const float* __restrict x, const float* __restrict d,
                         const gradient_target<Rule>& kernel, const gradient_target<Rule>& bias,
                         const gradient_step<Rule>& step, const grain& part = {}) noexcept {
  constexpr panel_columns columns(Product.units, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  static_assert(Product.lanewise == 0, "gradient_of_taps has the gradients of such a product");
  const auto some_tiles = [&](auto panel_vectors, std::int32_t panel, const index_range& mine,
                              const index_range& block) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int together = Product.vectors_together(panel_vectors, vectors, Architecture.lanes);
    for (std::int32_t v = 0; v < panel_vectors; v += together) {
      const std::int32_t within = v * Architecture.lanes;
      const std::int32_t n = panel * width + within;
      window_gradient_tiles<Architecture, Product, together, width, Rule>(
          x + Product.first_read(n), d + n, kernel.at(panel * panel_size + within), mine, block,
          step);
    }
  };
  if constexpr (copies_groups(Product, Architecture)) {
    gradient_of_groups<Product, Rule, Architecture>(x, d, kernel, step, part);
    gradient_of_pixels<Product.units, Rule, Architecture>(
        d, Product.lines() * Product.columns.outputs, bias, step, part);
    return;
  } else if constexpr (has_paired_gradient<Product, Architecture>) {
    gradient_by_pairs<Product, Rule, Architecture>(x, d, kernel, bias, step, part);
    return;
  } else if constexpr (has_few_weights_of_tap<Product, Architecture>) {
    gradient_of_taps<Product, weights_lying::in_panels, Rule, Architecture>(x, d, kernel, bias,
                                                                            step, part);
    return;
  }
  constexpr int together = Product.vectors_together(vectors, vectors, Architecture.lanes);
  constexpr int tiles = gradient_tiles<Architecture, Product, together>::count;
  // Weights and bias while the lines of a block are near.
  blocks_of(
      Product.lines(), lines_of_gradient_block(Product, Architecture),
      [&](const index_range& block) {
        columns_of_grain(
            columns.full_panels, tiles, part,
            [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
              some_tiles(std::integral_constant<int, vectors>(), panel, mine, block);
            });
        if constexpr (rest_vectors > 0) {
          constexpr int rest_together =
              Product.vectors_together(rest_vectors, vectors, Architecture.lanes);
          constexpr int rest_tiles = gradient_tiles<Architecture, Product, rest_together>::count;
          some_tiles(std::integral_constant<int, rest_vectors>(), columns.full_panels,
                     range_of(rest_tiles, part), block);
        }
        gradient_step<Rule> of_block = step;
        of_block.continues = step.continues || block.begin > 0;
        of_block.updates = step.updates && block.end == Product.lines();
        constexpr std::int32_t pixels = Product.columns.outputs;
        constexpr std::ptrdiff_t line = pixels * layout::row_stride(Product.units, Architecture);
        gradient_of_pixels<Product.units, Rule, Architecture>(
            d + block.begin * line, (block.end - block.begin) * pixels, bias, of_block, part);
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
