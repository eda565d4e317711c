// SPDX-License-Identifier: MIT
// The gradient of a dense layer's input, computed transposed: dx^T = W d^T.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_input_gradient_sample.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A block of `Rows` inputs and `Vectors` vectors of samples. Each output is one chain of
/// multiply-adds in ascending n from zero, through all panels.
/// `panel_size` is the distance of two panels of `w`, which points to the block's first row.
template <layout::architecture Architecture, int Rows, int Vectors, int PanelWidth, int BatchStride>
[[gnu::noinline]] void dense_input_gradient_tile(const float* __restrict w,
                                                 const float* __restrict d_transposed,
                                                 float* __restrict dx_transposed,
                                                 std::int32_t outputs,
                                                 std::ptrdiff_t panel_size) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      sums[row][v] = lanes(0.0F);
    }
  }
  for (std::int32_t rest = outputs; rest > 0; rest -= PanelWidth) {
    const std::int32_t columns = rest < PanelWidth ? rest : PanelWidth;
#pragma GCC unroll 1
    for (std::int32_t n = 0; n < columns; ++n) {
      lanes samples[std::size_t{Vectors}];
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        samples[v] = load_once<lanes>(d_transposed + v * width);
      }
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        const lanes weight(w[row * PanelWidth + n]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = multiply_add(weight, samples[v], sums[row][v]);
        }
      }
      d_transposed += BatchStride;
    }
    w += panel_size;
  }
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      store(dx_transposed + row * BatchStride + v * width, sums[row][v]);
    }
  }
}

/// `Vectors` vectors of samples for some row tiles of inputs.
template <layout::architecture Architecture, int Inputs, int Outputs, int Vectors, int BatchStride>
IPU_DSL_ALWAYS_INLINE void dense_input_gradient_samples(const float* w, const float* d_transposed,
                                                        float* dx_transposed,
                                                        const index_range& tiles) noexcept {
  constexpr int width = layout::panel_width(Outputs, Architecture);
  tile_rows<Architecture, Inputs, Vectors>(
      tiles, [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        dense_input_gradient_tile<Architecture, rows, Vectors, width, BatchStride>(
            w + std::ptrdiff_t{first} * width, d_transposed,
            dx_transposed + std::ptrdiff_t{first} * BatchStride, Outputs,
            std::ptrdiff_t{Inputs} * width);
      });
}

/// All vectors of samples, a group of them after the other; for a grain of the inputs, so that a
/// worker reads only its rows of W: what others have written since must come from their cores.
template <int Batch, int Inputs, int Outputs, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void dense_input_gradient_batch(const float* w, const float* d_transposed,
                                                      float* dx_transposed,
                                                      const grain& part) noexcept {
  constexpr int stride = layout::batch_stride(Batch, Architecture);
  constexpr int total = stride / Architecture.lanes;
  constexpr int vectors = layout::tile_vectors(total, Architecture);
  constexpr int rest = total % vectors;
  constexpr int tiles = row_tiles(Inputs, vectors, Architecture).parts();
  const index_range mine = range_of(tiles, part);
  for (std::int32_t group = 0; group < total / vectors; ++group) {
    const std::ptrdiff_t sample = std::ptrdiff_t{group} * vectors * Architecture.lanes;
    dense_input_gradient_samples<Architecture, Inputs, Outputs, vectors, stride>(
        w, d_transposed + sample, dx_transposed + sample, mine);
  }
  if constexpr (rest > 0) {
    constexpr std::ptrdiff_t sample = std::ptrdiff_t{total - rest} * Architecture.lanes;
    constexpr int rest_tiles = row_tiles(Inputs, rest, Architecture).parts();
    dense_input_gradient_samples<Architecture, Inputs, Outputs, rest, stride>(
        w, d_transposed + sample, dx_transposed + sample, range_of(rest_tiles, part));
  }
}

/// dx^T = W d^T, or a grain of it: transposed, so that the large operand W is read as it lies and
/// only the small gradients change their layout. Each output is one chain in ascending n; those of
/// a single sample, whose vectors lie along n, are sums of `row_chains`.
///   w              panels of [Inputs, Outputs]
///   d_transposed   [Outputs][batch_stride(Batch)]
///   dx_transposed  [Inputs][batch_stride(Batch)], every element written
template <int Batch, int Inputs, int Outputs, layout::architecture Architecture = layout::native>
void dense_input_gradient(const float* __restrict w, const float* __restrict d_transposed,
                          float* __restrict dx_transposed, const grain& part = {}) noexcept {
  if constexpr (Batch == 1) {
    dense_input_gradient_sample<Architecture, Inputs, Outputs>(w, d_transposed, dx_transposed,
                                                               part);
  } else {
    dense_input_gradient_batch<Batch, Inputs, Outputs, Architecture>(w, d_transposed, dx_transposed,
                                                                     part);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
