// SPDX-License-Identifier: MIT
// Products of windows of sequences with weights of each window: forward and both gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/layout/reduction_block.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Windows of `taps` steps, `stride` steps apart, that lie within the sequence. Weights of all
/// windows are one matrix in panels: a panel has `depth()` rows of the first window, then those of
/// the next; a bias has one row for each.
struct local_windows {
  std::int32_t samples;
  std::int32_t steps;  ///< of a sequence
  std::int32_t channels;
  std::int32_t filters;
  std::int32_t taps;
  std::int32_t stride;
  std::int32_t outputs;  ///< windows

  /// Numbers of a window.
  constexpr std::int32_t depth() const { return taps * channels; }

  /// From a sequence in one row to the next.
  constexpr std::int32_t sequence(layout::architecture target) const {
    return layout::row_stride(steps * channels, target);
  }

  /// From what windows make of a sequence to that of the next.
  constexpr std::int32_t made(layout::architecture target) const {
    return outputs * layout::row_stride(filters, target);
  }

  /// From a gradient of a sequence, step by step, to the next.
  constexpr std::int32_t spread(layout::architecture target) const {
    return steps * layout::row_stride(channels, target);
  }

  /// The taps at which a step meets a window, `stride` apart from the first.
  constexpr index_range taps_of(std::int32_t step) const {
    // Before the last window begins, none stands further back.
    const std::int32_t beyond = step - (outputs - 1) * stride;
    const std::int32_t first = beyond > step % stride ? beyond : step % stride;
    return {first, step + 1 < taps ? step + 1 : taps};
  }
};

/// What one window makes of all samples, for `Vectors` vectors of a panel, of which `units` columns
/// are filters. Each output is one chain from its bias over ascending numbers of the window.
template <layout::architecture Architecture, local_windows Windows, int Vectors, int PanelWidth,
          activation_kind Kind>
[[gnu::noinline]] void multiply_window(const float* x, const float* w, const float* bias, float* y,
                                       std::int32_t units, float alpha) noexcept {
  constexpr std::int32_t x_stride = Windows.sequence(Architecture);
  constexpr std::int32_t y_stride = Windows.made(Architecture);
  constexpr std::int32_t depth = Windows.depth();
  constexpr std::int32_t block = layout::reduction_block(depth, PanelWidth);
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr std::int32_t tiles = row_tiles(Windows.samples, Vectors, Architecture).parts();
  for (std::int32_t k = 0; k < depth; k += block) {
    const std::int32_t numbers = depth - k < block ? depth - k : block;
    const stretch_place place = {k == 0, k + numbers == depth};
    tile_rows<Architecture, Windows.samples, Vectors>(
        {0, tiles}, [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          product_tile<Architecture, rows, Vectors, PanelWidth, x_stride, in_tile>(
              x + std::ptrdiff_t{first} * x_stride + k, w + std::ptrdiff_t{k} * PanelWidth, bias,
              y + std::ptrdiff_t{first} * y_stride, y_stride, numbers, alpha, place);
        });
  }
  if constexpr (!applied_in_registers(Kind)) {
    activate_block<Kind, Architecture>(y, y_stride, Windows.samples, Vectors * Architecture.lanes,
                                       units, alpha);
  }
}

/// Calls `body(std::integral_constant<int, vectors>, panel, places)` for the panels of `Columns`
/// columns, each with the places, of `Places`, that a grain holds of it.
template <layout::architecture Architecture, std::int32_t Columns, std::int32_t Places,
          typename Body>
IPU_DSL_ALWAYS_INLINE void panels_of_places(const grain& part, const Body& body) {
  constexpr panel_columns columns(Columns, Architecture);
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  columns_of_grain(columns.full_panels, Places, part,
                   [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                     body(std::integral_constant<int, vectors>(), panel, mine);
                   });
  if constexpr (rest_vectors > 0) {
    body(std::integral_constant<int, rest_vectors>(), columns.full_panels, range_of(Places, part));
  }
}

/// y = activation(windows of x times their weights + bias), or a grain of it.
///   x     [samples][row_stride(steps x channels)]
///   w     panels of [windows x depth, filters]; bias  panels of [windows, filters] or null
///   y     [samples][windows][row_stride(filters)], every element written, padding with zero
template <local_windows Windows, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void multiply_local_windows(const float* __restrict x, const float* __restrict w,
                            const float* __restrict bias, float* __restrict y, float alpha,
                            const grain& part = {}) noexcept {
  constexpr int width = layout::panel_width(Windows.filters, Architecture);
  constexpr std::int32_t outputs = Windows.outputs;
  constexpr std::ptrdiff_t weights = std::ptrdiff_t{Windows.depth()} * width;
  panels_of_places<Architecture, Windows.filters, outputs>(
      part,
      [&](auto vectors, std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::int32_t n = panel * width;
        for (std::int32_t output = mine.begin; output < mine.end; ++output) {
          const std::ptrdiff_t place = std::ptrdiff_t{panel} * outputs + output;
          multiply_window<Architecture, Windows, vectors, width, Kind>(
              x + output * Windows.stride * Windows.channels, w + place * weights,
              bias == nullptr ? nullptr : bias + place * width,
              y + output * layout::row_stride(Windows.filters, Architecture) + n,
              Windows.filters - n, alpha);
        }
      });
}

/// The gradient of one step of all samples, for `Vectors` vectors of a panel of channels. Each
/// number is one chain from zero over ascending taps and filters.
template <layout::architecture Architecture, local_windows Windows, int Vectors, int PanelWidth>
[[gnu::noinline]] void spread_to_step(const float* d, const float* w, float* dx,
                                      std::int32_t step) noexcept {
  constexpr std::int32_t d_stride = Windows.made(Architecture);
  constexpr std::int32_t dx_stride = Windows.spread(Architecture);
  constexpr std::int32_t filters = Windows.filters;
  constexpr std::int32_t tiles = row_tiles(Windows.samples, Vectors, Architecture).parts();
  const auto stretch = [&](const float* from, const float* weights, std::int32_t length,
                           const stretch_place& place) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    tile_rows<Architecture, Windows.samples, Vectors>(
        {0, tiles}, [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          product_tile<Architecture, rows, Vectors, PanelWidth, d_stride, activation_kind::linear>(
              from + std::ptrdiff_t{first} * d_stride, weights, nullptr,
              dx + std::ptrdiff_t{first} * dx_stride, dx_stride, length, 0.0F, place);
        });
  };
  const index_range met = Windows.taps_of(step);
  if (met.begin >= met.end) {
    // In no window.
    stretch(d, w, 0, {true, true});
    return;
  }
  for (std::int32_t tap = met.begin; tap < met.end; tap += Windows.stride) {
    const std::int32_t output = (step - tap) / Windows.stride;
    stretch(d + output * layout::row_stride(filters, Architecture),
            w + (std::ptrdiff_t{output} * Windows.taps + tap) * filters * PanelWidth, filters,
            {tap == met.begin, tap + Windows.stride >= met.end});
  }
}

/// The gradient of x of `multiply_local_windows` without an activation, or a grain of it.
///   d   [samples][windows][row_stride(filters)]
///   w   the transpose of each tap's weights: panels of [windows x taps x filters, channels]
///   dx  [samples][steps][row_stride(channels)], every element written, padding with zero
template <local_windows Windows, layout::architecture Architecture = layout::native>
void spread_local_windows(const float* __restrict d, const float* __restrict w,
                          float* __restrict dx, const grain& part = {}) noexcept {
  constexpr int width = layout::panel_width(Windows.channels, Architecture);
  constexpr std::ptrdiff_t panel_size =
      std::ptrdiff_t{Windows.outputs} * Windows.taps * Windows.filters * width;
  panels_of_places<Architecture, Windows.channels, Windows.steps>(
      part,
      [&](auto vectors, std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        for (std::int32_t step = mine.begin; step < mine.end; ++step) {
          spread_to_step<Architecture, Windows, vectors, width>(
              d, w + panel * panel_size,
              dx + step * layout::row_stride(Windows.channels, Architecture) + panel * width, step);
        }
      });
}

/// The gradients of w and bias of `multiply_local_windows` without an activation, or a grain of
/// them, added to what is there if the step continues, and in the last step of an update the update
/// by `Rule`. Each element is one chain over ascending samples.
///   x, d    as forward reads x and writes y
///   kernel  all panels of [windows x depth, filters]
///   bias    all panels of [windows, filters]; its sum is null for a layer without one
template <local_windows Windows, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void gradient_of_local_windows(const float* __restrict x, const float* __restrict d,
                               const gradient_target<Rule>& kernel,
                               const gradient_target<Rule>& bias, const gradient_step<Rule>& step,
                               const grain& part = {}) noexcept {
  constexpr int width = layout::panel_width(Windows.filters, Architecture);
  constexpr std::int32_t outputs = Windows.outputs;
  constexpr std::int32_t depth = Windows.depth();
  panels_of_places<Architecture, Windows.filters, outputs>(
      part,
      [&](auto vectors, std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        constexpr std::int32_t tiles = row_tiles(depth, vectors, Architecture).parts();
        for (std::int32_t output = mine.begin; output < mine.end; ++output) {
          const std::ptrdiff_t place = std::ptrdiff_t{panel} * outputs + output;
          const gradient_factors from = {
              x + output * Windows.stride * Windows.channels,
              d + output * layout::row_stride(Windows.filters, Architecture) + panel * width,
              Windows.samples, Windows.sequence(Architecture), Windows.made(Architecture)};
          const gradient_target<Rule> to = kernel.at(place * depth * width);
          if constexpr (Windows.samples > most_samples_in_place) {
            dense_weight_gradient_stretches<Architecture, depth, vectors, width, Rule>(
                from, to, {0, tiles}, step);
          } else {
            dense_weight_gradient_panel<Architecture, depth, vectors, width, Rule>(
                from, to, {0, tiles}, step);
          }
          if (bias.sum != nullptr) {
            bias_gradient<Architecture, Rule>(from.d, bias.at(place * width), Windows.samples,
                                              from.d_stride, {0, vectors * Architecture.lanes},
                                              step);
          }
        }
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
