// SPDX-License-Identifier: MIT
// Lines of outputs of a product over windows with so few weights that they stay in registers while
// the outputs pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Whether the weights and the bias of some vectors of units fit into the registers beside their
/// sums, and few outputs lie at the rims. A tile has so few multiply-adds then that calling it and
/// loading its weights counts. (Causal 3, 1 to 16: 0.58 of the time of tiles; causal 2, 2 to 16:
/// 0.53; 3x3 1 to 8, 28x28: 0.68; causal 9, 1 to 8, of which an eighth lies at the rim: 1.07. With
/// sixteen lanes causal 3, 1 to 16: 0.76; 3x3 1 to 32, 28x28: 0.82; 2x2 3 to 16: 0.94; of longer
/// chains outputs wait: 3x3 2 to 16 1.16, 5x5 1 to 16 1.39. With four nobody has measured it.)
constexpr bool holds_weights(const window_product& product, int vectors,
                             layout::architecture target) {
  const index_range full = product.columns.full_outputs();
  const std::int32_t chain = product.kernel_taps * product.depth;
  return target.lanes >= 8 && (target.lanes == 8 || chain <= 12) && product.planes.taps == 1 &&
         product.planes.outputs == 1 && product.kernel_taps > 1 && product.rows.taps > 0 &&
         product.columns.taps > 0 && 10 * (full.end - full.begin) >= 9 * product.columns.outputs &&
         (chain + 2) * vectors + 1 <= target.registers;
}

/// One line of outputs for `Vectors` vectors of one panel, which meets all rows of the kernel. Each
/// is one chain of multiply-adds from its bias, in ascending order of kernel rows, columns and
/// depth, without the taps that lie in the padding.
///   x, w, bias  those of `multiply_windows`;  y  the line, [outputs] pixels
template <layout::architecture Architecture, window_product Product, int Vectors, int PanelWidth,
          activation_kind Kind>
[[gnu::noinline]] void held_weights_line(const float* __restrict x, const float* __restrict w,
                                         const float* __restrict bias, float* __restrict y,
                                         std::int32_t line, float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::int32_t row_taps = Product.rows.taps;
  constexpr std::int32_t column_taps = Product.columns.taps;
  constexpr std::int32_t depth = Product.depth;
  constexpr index_range full = Product.columns.full_outputs();
  lanes weights[std::size_t{row_taps * column_taps * depth}][std::size_t{Vectors}];
  lanes start[std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    start[v] = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * width);
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < row_taps * column_taps * depth; ++i) {
      const std::int32_t row = i / (column_taps * depth);
      const std::int32_t tap = i / depth % column_taps;
      const std::int32_t position =
          Product.first_position(0, row) + Product.columns.position_of(tap);
      weights[i][v] = load<lanes>(w + (position * depth + i % depth) * PanelWidth + v * width);
    }
  }
  const float* const source = x + Product.source_row(line, 0, 0);
  const auto write = [&](std::int32_t column, bool asks) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    lanes sums[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      sums[v] = start[v];
    }
    // Loaded for each output: g++ 12 hands numbers on from output to output instead, of which each
    // takes two operations more.
    const float* at = source + column * Product.columns.step * Product.read.pixel;
    asm("" : "+r"(at));
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < row_taps * column_taps * depth; ++i) {
      const std::int32_t row = i / (column_taps * depth);
      const std::int32_t tap = i / depth % column_taps;
      if (!asks || Product.columns.meets(column, tap)) {
        const lanes sample(at[row * Product.rows.slope * Product.read.row +
                              Product.columns.source(0, tap) * Product.read.pixel + i % depth]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[v] = multiply_add(sample, weights[i][v], sums[v]);
        }
      }
    }
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      store(y + column * Product.written.pixel + v * width, activate<Kind>(sums[v], alpha));
    }
  };
#pragma GCC unroll 1
  for (std::int32_t column = 0; column < full.begin; ++column) {
    write(column, true);
  }
#pragma GCC unroll 4
  for (std::int32_t column = full.begin; column < full.end; ++column) {
    write(column, false);
  }
#pragma GCC unroll 1
  for (std::int32_t column = full.end; column < Product.columns.outputs; ++column) {
    write(column, true);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
