// SPDX-License-Identifier: MIT
// The forward pass of a dense layer: y = activation(x W + bias).
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/dense_forward_few_units.hpp>
#include <ipu_dsl/kernels/dense_forward_sample.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>
#include <ipu_dsl/layout/reduction_block.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Some row tiles of samples against `Vectors` vectors of one panel, of which `units` columns are
/// units. The reduction is cut into stretches that stay in the first-level cache; each output is
/// one chain all the same.
template <layout::architecture Architecture, int Batch, int Inputs, int Vectors, int PanelWidth,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_panel(const float* x, const float* w, const float* bias,
                                               float* y, std::ptrdiff_t y_stride,
                                               std::int32_t units, const index_range& tiles,
                                               float alpha) noexcept {
  constexpr int x_stride = layout::row_stride(Inputs, Architecture);
  constexpr int block = layout::reduction_block(Inputs, PanelWidth);
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  for (std::int32_t k = 0; k < Inputs; k += block) {
    const std::int32_t inputs = Inputs - k < block ? Inputs - k : block;
    const bool last = k + inputs == Inputs;
    tile_rows<Architecture, Batch, Vectors>(
        tiles, [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          product_tile<Architecture, rows, Vectors, PanelWidth, x_stride, in_tile>(
              x + std::ptrdiff_t{first} * x_stride + k, w + std::ptrdiff_t{k} * PanelWidth, bias,
              y + first * y_stride, y_stride, inputs, alpha, {k == 0, last});
        });
  }
  if constexpr (!applied_in_registers(Kind) && Kind != activation_kind::softmax) {
    constexpr layout::balanced_split split = row_tiles(Batch, Vectors, Architecture);
    const std::int32_t first = split.begin(tiles.begin);
    const std::int32_t last = split.begin(tiles.end);
    activate_block<Kind, Architecture>(y + first * y_stride, y_stride, last - first,
                                       Vectors * Architecture.lanes, units, alpha);
  }
}

/// Asks for x where other workers have written some of it: a tile walks several rows of it at once,
/// each too short for the processor to see what comes next. (256 to 128, batch 32, on two workers:
/// 0.75 of the time.) What does not fit into the first-level cache would be gone again.
IPU_DSL_ALWAYS_INLINE void ask_for_inputs(const float* x, std::int32_t floats) noexcept {
  constexpr std::int32_t most_floats = 8192;
  for (std::int32_t at = 0; floats <= most_floats && at < floats; at += line_floats) {
    prefetch_for_reading(x, at);
  }
}

/// The samples of a batch against all panels, or a grain of that.
template <layout::architecture Architecture, int Batch, int Inputs, int Outputs,
          activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_batch(const float* x, const float* w, const float* bias,
                                               float* y, float alpha, const grain& part) noexcept {
  constexpr int y_stride = layout::row_stride(Outputs, Architecture);
  constexpr panel_columns columns(Outputs, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Inputs} * width;
  constexpr int tiles = row_tiles(Batch, vectors, Architecture).parts();
  if (part.count > 1) {
    ask_for_inputs(x, Batch * layout::row_stride(Inputs, Architecture));
  }
  columns_of_grain(columns.full_panels, tiles, part,
                   [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                     const std::int32_t n = panel * width;
                     dense_forward_panel<Architecture, Batch, Inputs, vectors, width, Kind>(
                         x, w + panel * panel_size, bias == nullptr ? nullptr : bias + n, y + n,
                         y_stride, Outputs - n, mine, alpha);
                   });
  if constexpr (rest_vectors > 0) {
    constexpr int n = columns.full_panels * width;
    constexpr int rest_tiles = row_tiles(Batch, rest_vectors, Architecture).parts();
    dense_forward_panel<Architecture, Batch, Inputs, rest_vectors, width, Kind>(
        x, w + columns.full_panels * panel_size, bias == nullptr ? nullptr : bias + n, y + n,
        y_stride, Outputs - n, range_of(rest_tiles, part), alpha);
  }
}

/// Whether a forward pass can be dealt over grains: softmax needs a whole row, and a single sample
/// has too little to share.
constexpr bool forward_in_grains(std::int32_t batch, activation_kind kind) {
  return batch > 1 && kind != activation_kind::softmax;
}

/// y = activation(x W + bias), or a grain of it where `forward_in_grains` allows one.
///   x  [Batch][row_stride(Inputs)]
///   w  panels of [Inputs, Outputs]; bias  [bias_elements(Outputs)] or null
///   y  [Batch][row_stride(Outputs)], every element written, padding with zero
/// `alpha` is the slope of leaky_relu and elu.
template <int Batch, int Inputs, int Outputs, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void dense_forward(const float* __restrict x, const float* __restrict w,
                   const float* __restrict bias, float* __restrict y, float alpha,
                   const grain& part = {}) noexcept {
  if constexpr (Batch == 1) {
    constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
    dense_forward_sample<Architecture, Inputs, Outputs, in_tile>(x, w, bias, y, alpha);
    if constexpr (!applied_in_registers(Kind) && Kind != activation_kind::softmax) {
      activation_forward<Kind, Architecture>(y, y, Batch, Outputs, alpha);
    }
  } else if constexpr (samples_are_lanes<Batch, Inputs, Outputs, Architecture>()) {
    dense_forward_few_units<Architecture, Batch, Inputs, Outputs, Kind>(x, w, bias, y, alpha, part);
  } else {
    dense_forward_batch<Architecture, Batch, Inputs, Outputs, Kind>(x, w, bias, y, alpha, part);
  }
  if constexpr (Kind == activation_kind::softmax) {
    softmax_forward<Architecture>(y, y, Batch, Outputs);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
