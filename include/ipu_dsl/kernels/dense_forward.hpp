// SPDX-License-Identifier: MIT
// The forward pass of a dense layer: y = activation(x W + bias).
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/dense_forward_sample.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The activations cheap enough to be applied while the outputs are still in registers.
constexpr bool applied_in_registers(activation_kind kind) {
  return kind == activation_kind::linear || kind == activation_kind::relu ||
         kind == activation_kind::leaky_relu;
}

/// A block of `Rows` samples and `Vectors` vectors of units. Each output is one chain of
/// multiply-adds in ascending k from its bias. Not inlined: two tiles in one loop nest make g++
/// 12.2 share loads between them and spill (56 % instead of 96 % at seven rows).
/// Keyed by what layers share; only the extents that cost nothing inside the loop are arguments.
template <layout::architecture Architecture, int Rows, int Vectors, int PanelWidth, int RowStride,
          activation_kind Kind>
[[gnu::noinline]] void dense_forward_tile(const float* __restrict x, const float* __restrict w,
                                          const float* __restrict bias, float* __restrict y,
                                          std::int32_t inputs, std::ptrdiff_t y_stride,
                                          float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const lanes start = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + v * width);
    unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA { sums[row][v] = start; });
  });
  // Unrolling by hand or by the compiler makes g++ 12.2 spill; rolled, the tile is at the peak.
#pragma GCC unroll 1
  for (std::int32_t k = 0; k < inputs; ++k) {
    lanes columns[std::size_t{Vectors}];
    unrolled<Vectors>(
        [&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA { columns[v] = load_once<lanes>(w + v * width); });
    unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const lanes sample(x[row * RowStride + k]);
      unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        sums[row][v] = multiply_add(sample, columns[v], sums[row][v]);
      });
    });
    w += PanelWidth;
  }
  unrolled<Rows>([&](auto row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      store(y + row * y_stride + v * width, activate<Kind>(sums[row][v], alpha));
    });
  });
}

/// All samples against `Vectors` vectors of one panel.
template <layout::architecture Architecture, int Batch, int Vectors, int PanelWidth, int RowStride,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_panel(const float* x, const float* w, const float* bias,
                                               float* y, std::int32_t inputs,
                                               std::ptrdiff_t y_stride, float alpha) noexcept {
  tile_rows<Architecture, Batch, Vectors>(
      [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        dense_forward_tile<Architecture, rows, Vectors, PanelWidth, RowStride, Kind>(
            x + std::ptrdiff_t{first} * RowStride, w, bias, y + first * y_stride, inputs, y_stride,
            alpha);
      });
}

/// All samples against all panels.
template <layout::architecture Architecture, int Batch, int Inputs, int Outputs,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_batch(const float* x, const float* w, const float* bias,
                                               float* y, float alpha) noexcept {
  constexpr int x_stride = layout::row_stride(Inputs, Architecture);
  constexpr int y_stride = layout::row_stride(Outputs, Architecture);
  constexpr panel_columns columns(Outputs, Architecture);
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Inputs} * columns.width;
  for (std::int32_t panel = 0; panel < columns.full_panels; ++panel) {
    const std::int32_t n = panel * columns.width;
    dense_forward_panel<Architecture, Batch, columns.vectors, columns.width, x_stride, Kind>(
        x, w + panel * panel_size, bias == nullptr ? nullptr : bias + n, y + n, Inputs, y_stride,
        alpha);
  }
  if constexpr (columns.rest_vectors > 0) {
    constexpr std::int32_t n = columns.full_panels * columns.width;
    dense_forward_panel<Architecture, Batch, columns.rest_vectors, columns.width, x_stride, Kind>(
        x, w + columns.full_panels * panel_size, bias == nullptr ? nullptr : bias + n, y + n,
        Inputs, y_stride, alpha);
  }
}

/// y = activation(x W + bias).
///   x  [Batch][row_stride(Inputs)]
///   w  panels of [Inputs, Outputs]; bias  [bias_elements(Outputs)] or null
///   y  [Batch][row_stride(Outputs)], every element written, padding with zero
/// `alpha` is the slope of leaky_relu and elu.
template <int Batch, int Inputs, int Outputs, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void dense_forward(const float* __restrict x, const float* __restrict w,
                   const float* __restrict bias, float* __restrict y, float alpha) noexcept {
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  if constexpr (Batch == 1) {
    dense_forward_sample<Architecture, Inputs, Outputs, in_tile>(x, w, bias, y, alpha);
  } else {
    dense_forward_batch<Architecture, Batch, Inputs, Outputs, in_tile>(x, w, bias, y, alpha);
  }
  if constexpr (Kind == activation_kind::softmax) {
    softmax_forward<Architecture>(y, y, Batch, Outputs);
  } else if constexpr (!applied_in_registers(Kind)) {
    activation_forward<Kind, Architecture>(y, y, Batch, Outputs, alpha);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
