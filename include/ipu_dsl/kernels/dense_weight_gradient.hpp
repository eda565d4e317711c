// SPDX-License-Identifier: MIT
// The gradients of a dense layer's weights and bias, dW = x^T d and db = column sums of d, and the
// update that may follow while they are in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient_few_units.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Some row tiles of inputs against `Vectors` vectors of one panel.
template <layout::architecture Architecture, int Inputs, int Vectors, int PanelWidth, typename Rule>
IPU_DSL_ALWAYS_INLINE void dense_weight_gradient_panel(const gradient_factors& from,
                                                       const gradient_target<Rule>& to,
                                                       const index_range& tiles,
                                                       const gradient_step<Rule>& step) noexcept {
  tile_runs<Architecture, Inputs, Vectors>(
      tiles, [&](auto rows, std::int32_t first, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        gradient_factors below = from;
        below.x += first;
        outer_product_tiles<Architecture, rows, Vectors, PanelWidth, Rule>(
            below, to.at(std::ptrdiff_t{first} * PanelWidth), count, step);
      });
}

/// The most samples that a panel's tiles read d of where it lies: rows of 256 units are a power of
/// two apart, and more of them than these share too few places of the first-level cache (batch 128,
/// 784 x 256: 86 % of the peak where it lies, 95 % beside each other).
inline constexpr std::int32_t most_samples_in_place = 48;

/// Samples whose d is copied beside each other at once.
inline constexpr std::int32_t samples_beside = 128;

/// The same for a large batch, stretch by stretch, with d of a stretch copied for all tiles. Each
/// stretch continues the chains of the one before.
template <layout::architecture Architecture, int Inputs, int Vectors, int PanelWidth, typename Rule>
[[gnu::noinline]] void dense_weight_gradient_stretches(const gradient_factors& from,
                                                       const gradient_target<Rule>& to,
                                                       const index_range& tiles,
                                                       const gradient_step<Rule>& step) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t width = Vectors * Architecture.lanes;
  alignas(64) float beside[std::size_t{samples_beside} * width];
  for (std::int32_t first = 0; first < from.batch; first += samples_beside) {
    const std::int32_t left = from.batch - first;
    const std::int32_t samples = left < samples_beside ? left : samples_beside;
    const float* const d = from.d + first * from.d_stride;
    for (std::int32_t sample = 0; sample < samples; ++sample) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        const float* const row = d + sample * from.d_stride + v * Architecture.lanes;
        store(beside + sample * width + v * Architecture.lanes, load<lanes>(row));
      }
    }
    gradient_step<Rule> of_stretch = step;
    of_stretch.continues = step.continues || first > 0;
    of_stretch.updates = step.updates && left <= samples_beside;
    const gradient_factors stretch = {from.x + first * from.x_stride, beside, samples,
                                      from.x_stride, width};
    dense_weight_gradient_panel<Architecture, Inputs, Vectors, PanelWidth, Rule>(stretch, to, tiles,
                                                                                 of_stretch);
  }
}

/// dW = x^T d and db = sums of d, or a grain of them, added to what is there if the step continues:
/// then a micro-batch goes on where the one before it stopped, and the micro-batch size cannot
/// change the result. In the last step of an update by `Rule` the parameters are updated
/// instead, and the sums hold nothing that is read again.
///   x       [Batch][row_stride(Inputs)], d  [Batch][row_stride(Outputs)]
///   kernel  all panels of [Inputs, Outputs]
///   bias    all [bias_elements(Outputs)]; its sum is null for a layer without one
/// Whole vectors of the last panel that hold no unit are neither read nor written.
template <int Batch, int Inputs, int Outputs, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void dense_weight_gradient(const float* __restrict x, const float* __restrict d,
                           const gradient_target<Rule>& kernel, const gradient_target<Rule>& bias,
                           const gradient_step<Rule>& step, const grain& part = {}) noexcept {
  constexpr int x_stride = layout::row_stride(Inputs, Architecture);
  constexpr int d_stride = layout::row_stride(Outputs, Architecture);
  constexpr panel_columns columns(Outputs, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Inputs} * width;
  constexpr int tiles = row_tiles(Inputs, vectors, Architecture).parts();
  const auto one_panel = [&](auto panel_vectors, std::int32_t panel,
                             const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const gradient_factors from = {x, d + panel * width, Batch, x_stride, d_stride};
    const gradient_target<Rule> to = kernel.at(panel * panel_size);
    if constexpr (Batch > most_samples_in_place) {
      dense_weight_gradient_stretches<Architecture, Inputs, panel_vectors, width, Rule>(from, to,
                                                                                        mine, step);
    } else {
      dense_weight_gradient_panel<Architecture, Inputs, panel_vectors, width, Rule>(from, to, mine,
                                                                                    step);
    }
  };
  if constexpr (inputs_are_lanes<Batch, Inputs, Outputs, Architecture>()) {
    dense_weight_gradient_few_units<Batch, Inputs, Outputs, Rule, Architecture>(x, d, kernel, step,
                                                                                part);
  } else {
    columns_of_grain(columns.full_panels, tiles, part,
                     [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                       one_panel(std::integral_constant<int, vectors>(), panel, mine);
                     });
    if constexpr (rest_vectors > 0) {
      constexpr int rest_tiles = row_tiles(Inputs, rest_vectors, Architecture).parts();
      one_panel(std::integral_constant<int, rest_vectors>(), columns.full_panels,
                range_of(rest_tiles, part));
    }
  }
  if (bias.sum != nullptr) {
    const index_range mine = range_of(d_stride / Architecture.lanes, part);
    bias_gradient<Architecture, Rule>(
        d, bias, Batch, d_stride, {mine.begin * Architecture.lanes, mine.end * Architecture.lanes},
        step);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
