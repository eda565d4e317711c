// SPDX-License-Identifier: MIT
// The register tile of a product with weights in panels.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The activations cheap enough to be applied while the outputs are still in registers.
constexpr bool applied_in_registers(activation_kind kind) {
  return kind == activation_kind::linear || kind == activation_kind::relu ||
         kind == activation_kind::leaky_relu;
}

/// Where a stretch of the reduction stands: the first begins at the bias, or zero, all others at
/// what the one before stored; the last ends with the activation. A small layer has one stretch.
struct stretch_place {
  bool first = true;
  bool last = true;
};

/// A block of `Rows` rows of x and `Vectors` vectors of columns of w: y = activation(x w + bias).
/// Each output is one chain of multiply-adds in ascending k from its bias. It is the inner loop of
/// whatever is a product with weights in panels: of a dense layer, and of each position of a
/// convolution's kernel. Not inlined: two tiles in one loop nest make g++
/// 12.2 share loads between them and spill (56 % instead of 96 % at seven rows).
/// Keyed by what layers share; only the extents that cost nothing inside the loop are arguments.
/// `AsksAhead`: x comes from afar, and the rows behind these are asked for, a line of the cache at
/// each step: all of up to 16 rows that lie one behind the other.
/// `AsksForOutputs`: y comes from afar, which is asked for row by row between the steps: all of it
/// at once, or only as it is stored, and what the steps load would wait behind it.
template <layout::architecture Architecture, int Rows, int Vectors, int PanelWidth, int RowStride,
          activation_kind Kind, bool AsksAhead = false, bool AsksForOutputs = false>
[[gnu::noinline]] void product_tile(const float* __restrict x, const float* __restrict w,
                                    const float* __restrict bias, float* __restrict y,
                                    std::ptrdiff_t y_stride, std::int32_t inputs, float alpha,
                                    stretch_place stretch) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  if (stretch.first) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * width);
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        sums[row][v] = start;
      }
    }
  } else {
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        sums[row][v] = load<lanes>(y + row * y_stride + v * width);
      }
    }
  }
  constexpr int parts = AsksForOutputs ? Rows : 1;
  std::int32_t k = 0;
#pragma GCC unroll 1
  for (int part = 0; part < parts; ++part) {
    if constexpr (AsksForOutputs) {
      prefetch_for_writing<Vectors * width>(y, part * y_stride);
    }
    const std::int32_t end = part + 1 == parts ? inputs : k + inputs / parts;
    // Unrolling by hand or by the compiler makes g++ 12.2 spill; rolled, the tile is at the peak.
#pragma GCC unroll 1
    for (; k < end; ++k) {
      lanes columns[std::size_t{Vectors}];
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        columns[v] = load_once<lanes>(w + v * width);
      }
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        const lanes sample(x[row * RowStride + k]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = multiply_add(sample, columns[v], sums[row][v]);
        }
      }
      if constexpr (AsksAhead) {
        prefetch_for_reading(x, std::ptrdiff_t{Rows} * RowStride + k * line_floats);
      }
      w += PanelWidth;
    }
  }
  const bool last = stretch.last;
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      const lanes sum = sums[row][v];
      store(y + row * y_stride + v * width, last ? activate<Kind>(sum, alpha) : sum);
    }
  }
}

/// Applies an activation that is computed elsewhere than in registers, to a block of `rows` rows
/// and `columns` units, and clears what lies behind the last unit.
template <activation_kind Kind, layout::architecture Architecture>
[[gnu::noinline]] void activate_block(float* y, std::ptrdiff_t y_stride, std::int32_t rows,
                                      std::int32_t columns, std::int32_t units,
                                      float alpha) noexcept {
  using lanes = vector<Architecture>;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t n = 0; n < columns; n += Architecture.lanes) {
      store(y + n, activate<Kind>(load<lanes>(y + n), alpha));
    }
    clear_padding(y, units, columns);
    y += y_stride;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
