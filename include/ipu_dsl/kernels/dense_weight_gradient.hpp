// SPDX-License-Identifier: MIT
// The gradients of a dense layer's weights and bias: dW = x^T d, db = column sums of d.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A block of `Rows` inputs and `Vectors` vectors of outputs. Each element is one chain of
/// multiply-adds over ascending samples, from its previous value if the chain continues.
template <layout::architecture Architecture, int Rows, int Vectors, int PanelWidth>
[[gnu::noinline]] void dense_weight_gradient_tile(const float* __restrict x,
                                                  const float* __restrict d, float* __restrict dw,
                                                  std::int32_t batch, std::ptrdiff_t x_stride,
                                                  std::ptrdiff_t d_stride,
                                                  bool continues) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  if (continues) {
    unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        sums[row][v] = load<lanes>(dw + row * PanelWidth + v * width);
      });
    });
  } else {
    unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA { sums[row][v] = lanes(0.0F); });
    });
  }
#pragma GCC unroll 1
  for (std::int32_t b = 0; b < batch; ++b) {
    lanes columns[std::size_t{Vectors}];
    unrolled<Vectors>(
        [&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA { columns[v] = load_once<lanes>(d + v * width); });
    unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const lanes input(x[row]);
      unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        sums[row][v] = multiply_add(input, columns[v], sums[row][v]);
      });
    });
    x += x_stride;
    d += d_stride;
  }
  unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      store(dw + row * PanelWidth + v * width, sums[row][v]);
    });
  });
}

/// All inputs against `Vectors` vectors of one panel.
template <layout::architecture Architecture, int Inputs, int Vectors, int PanelWidth>
IPU_DSL_ALWAYS_INLINE void dense_weight_gradient_panel(const float* x, const float* d, float* dw,
                                                       std::int32_t batch, std::ptrdiff_t x_stride,
                                                       std::ptrdiff_t d_stride,
                                                       bool continues) noexcept {
  tile_rows<Architecture, Inputs, Vectors>(
      [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        dense_weight_gradient_tile<Architecture, rows, Vectors, PanelWidth>(
            x + first, d, dw + std::ptrdiff_t{first} * PanelWidth, batch, x_stride, d_stride,
            continues);
      });
}

/// db: each element is one chain of sums over ascending samples. Columns from `columns` on are
/// left alone: they are the padding of the last panel.
template <layout::architecture Architecture>
[[gnu::noinline]] void dense_bias_gradient(const float* __restrict d, float* __restrict db,
                                           std::int32_t batch, std::int32_t columns,
                                           bool continues) noexcept {
  using lanes = vector<Architecture>;
  for (std::int32_t n = 0; n < columns; n += Architecture.lanes) {
    lanes sum = continues ? load<lanes>(db + n) : lanes(0.0F);
    for (std::int32_t b = 0; b < batch; ++b) {
      sum = sum + load<lanes>(d + std::ptrdiff_t{b} * columns + n);
    }
    store(db + n, sum);
  }
}

/// dW = x^T d and db = sums of d, added to what is there if `continues`: then a micro-batch goes on
/// where the one before it stopped, and the micro-batch size cannot change the result.
///   x   [Batch][row_stride(Inputs)], d  [Batch][row_stride(Outputs)]
///   dw  panels of [Inputs, Outputs]; db  [bias_elements(Outputs)] or null
/// Whole vectors of the last panel that hold no unit are neither read nor written.
template <int Batch, int Inputs, int Outputs, layout::architecture Architecture = layout::native>
void dense_weight_gradient(const float* __restrict x, const float* __restrict d,
                           float* __restrict dw, float* __restrict db, bool continues) noexcept {
  constexpr int x_stride = layout::row_stride(Inputs, Architecture);
  constexpr int d_stride = layout::row_stride(Outputs, Architecture);
  constexpr panel_columns columns(Outputs, Architecture);
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Inputs} * columns.width;
  for (std::int32_t panel = 0; panel < columns.full_panels; ++panel) {
    dense_weight_gradient_panel<Architecture, Inputs, columns.vectors, columns.width>(
        x, d + panel * columns.width, dw + panel * panel_size, Batch, x_stride, d_stride,
        continues);
  }
  if constexpr (columns.rest_vectors > 0) {
    dense_weight_gradient_panel<Architecture, Inputs, columns.rest_vectors, columns.width>(
        x, d + columns.full_panels * columns.width, dw + columns.full_panels * panel_size, Batch,
        x_stride, d_stride, continues);
  }
  if (db != nullptr) {
    dense_bias_gradient<Architecture>(d, db, Batch, d_stride, continues);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
