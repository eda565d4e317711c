// SPDX-License-Identifier: MIT
// Gradients of weights of a product in groups of channels, each as a product of its own: of what a
// group reads, copied to where it lies together.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/window_gradient_tiles.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// An image of pixels of `features` numbers, one behind the other.
constexpr image_strides packed_image(std::int32_t rows, std::int32_t columns,
                                     std::int32_t features) {
  const std::ptrdiff_t row = std::ptrdiff_t{columns} * features;
  return {.sample = rows * row, .row = row, .pixel = features};
}

/// One group of one sample of `product`, its images packed.
constexpr window_product product_of_group(const window_product& product) {
  window_product made = product;
  made.samples = 1;
  made.groups = 1;
  made.units = product.units / product.groups;
  made.read = packed_image(product.rows.sources, product.columns.sources, made.depth);
  made.written = packed_image(product.rows.outputs, product.columns.outputs, made.units);
  return made;
}

/// Whether groups are copied: pixels lie whole half kilobytes apart and a group has few lines of
/// the cache of each, so that the first-level cache has room for a part of what it could hold, and
/// tiles of all taps read them again. The copies stay in the second-level cache. (3x3, eight /
/// sixteen lanes: 128 channels in 4 groups, 28x28: 0.86 / 0.95 of the time; 256 in 8: 0.78 / 0.96,
/// 14x14 0.62 / 1.02; 512 in 32, 14x14: 0.74 / 0.67; 1,024 in 32: 0.46 / 0.67. Of 192 in 4, 0.99
/// / 1.06.)
constexpr bool copies_groups(const window_product& product, layout::architecture target) {
  if (product.groups == 1 || product.lanewise != 0 || product.planes.outputs != 1 ||
      product.planes.taps != 1 || product.kernel_taps == 1) {
    return false;
  }
  constexpr std::int64_t most_floats = 256 * 1024 / sizeof(float);
  const window_product group = product_of_group(product);
  return target.lanes >= 8 && group.depth % target.lanes == 0 && product.read.pixel % 128 == 0 &&
         group.has_outputs() && group.read.sample + group.written.sample <= most_floats;
}

/// Copies `features` numbers of each pixel of an image, whole vectors of them.
///   to  [rows][columns][features]
template <layout::architecture Architecture>
[[gnu::noinline]] void pack_image(const float* __restrict from, const image_strides& strides,
                                  std::int32_t rows, std::int32_t columns, std::int32_t features,
                                  float* __restrict to) noexcept {
  for (std::int32_t row = 0; row < rows; ++row) {
    const float* pixel = from + row * strides.row;
    for (std::int32_t column = 0; column < columns; ++column) {
      for (std::int32_t k = 0; k < features; k += Architecture.lanes) {
        store(to + k, load<vector<Architecture>>(pixel + k));
      }
      pixel += strides.pixel;
      to += features;
    }
  }
}

/// Some vectors of units of one group, of one sample, its images packed: the gradient of their
/// weights, or a grain of it.
///   d, to  of the first of the units
template <window_product Group, int Vectors, int PanelWidth, typename Rule,
          layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void gradient_of_group(const float* x, const float* d,
                                             const gradient_target<Rule>& to,
                                             const gradient_step<Rule>& step, const grain& part) {
  const index_range mine = range_of(gradient_tiles<Architecture, Group, Vectors>::count, part);
  blocks_of(Group.lines(), lines_of_gradient_block(Group, Architecture),
            [&](const index_range& block) {
              window_gradient_tiles<Architecture, Group, Vectors, PanelWidth, Rule>(x, d, to, mine,
                                                                                    block, step);
            });
}

/// The gradient of the weights of a product whose groups are copied, or a grain of it; as
/// `gradient_of_windows` has it.
template <window_product Product, typename Rule, layout::architecture Architecture>
void gradient_of_groups(const float* __restrict x, const float* __restrict d,
                        const gradient_target<Rule>& kernel, const gradient_step<Rule>& step,
                        const grain& part) noexcept {
  constexpr window_product group = product_of_group(Product);
  constexpr panel_columns columns(Product.units, Architecture);
  constexpr int width = columns.width;
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Product.kernel_taps} * Product.depth * width;
  constexpr int together =
      Product.vectors_together(columns.vectors, columns.vectors, Architecture.lanes);
  alignas(64) float packed_x[std::size_t{group.read.sample}];
  alignas(64) float packed_d[std::size_t{group.written.sample}];
  for (std::int32_t number = 0; number < Product.groups; ++number) {
    const std::int32_t first = number * group.units;
    for (std::int32_t sample = 0; sample < Product.samples; ++sample) {
      pack_image<Architecture>(x + sample * Product.read.sample + number * group.depth,
                               Product.read, Product.rows.sources, Product.columns.sources,
                               group.depth, packed_x);
      pack_image<Architecture>(d + sample * Product.written.sample + first, Product.written,
                               Product.rows.outputs, Product.columns.outputs, group.units,
                               packed_d);
      gradient_step<Rule> of_sample = step;
      of_sample.continues = step.continues || sample > 0;
      of_sample.updates = step.updates && sample + 1 == Product.samples;
      for (std::int32_t unit = 0; unit < group.units; unit += together * Architecture.lanes) {
        const std::int32_t n = first + unit;
        gradient_of_group<group, together, width, Rule, Architecture>(
            packed_x, packed_d + unit, kernel.at(n / width * panel_size + n % width), of_sample,
            part);
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
