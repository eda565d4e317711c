// SPDX-License-Identifier: MIT
// What products by lanes read, laid out: pixels with a number for each unit, weights in panels.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/window_product.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Features dealt into groups of `depth` of them, each read by `units_of_group` units.
struct group_spread {
  std::int32_t samples;
  std::int32_t rows;
  std::int32_t columns;
  std::int32_t depth;
  std::int32_t units_of_group;
  std::int32_t units;  ///< of all groups
  image_strides read;

  constexpr std::int32_t lines() const { return samples * rows; }
};

/// Of every pixel what each unit reads: `[depth][row_stride(units)]`, zeros behind the units. Parts
/// are rows of images.
template <group_spread Spread, layout::architecture Architecture = layout::native>
void spread_groups(const float* __restrict x, float* __restrict spread,
                   const grain& part) noexcept {
  constexpr std::ptrdiff_t stride = layout::row_stride(Spread.units, Architecture);
  constexpr std::int32_t groups = Spread.units / Spread.units_of_group;
  const index_range mine = range_of(Spread.lines(), part);
  float* to = spread + std::ptrdiff_t{mine.begin} * Spread.columns * Spread.depth * stride;
  for (std::int32_t line = mine.begin; line < mine.end; ++line) {
    const float* pixel =
        x + (line / Spread.rows) * Spread.read.sample + (line % Spread.rows) * Spread.read.row;
    for (std::int32_t column = 0; column < Spread.columns; ++column) {
      for (std::int32_t k = 0; k < Spread.depth; ++k) {
        for (std::int32_t group = 0; group < groups; ++group) {
          const float value = pixel[group * Spread.depth + k];
          for (std::int32_t n = 0; n < Spread.units_of_group; ++n) {
            to[group * Spread.units_of_group + n] = value;
          }
        }
        for (std::ptrdiff_t n = Spread.units; n < stride; ++n) {
          to[n] = 0.0F;
        }
        to += stride;
      }
      pixel += Spread.read.pixel;
    }
  }
}

/// Weights [taps, channels of a group, filters] of groups of channels.
struct group_weights {
  std::int32_t taps;
  std::int32_t channels;  ///< of all groups
  std::int32_t filters;
  std::int32_t groups;
  bool plain;  ///< one behind the other, otherwise in panels

  constexpr std::int32_t channels_of_group() const { return channels / groups; }

  constexpr std::int32_t filters_of_group() const { return filters / groups; }
};

/// Where the weight from channel `channel` of its group to a filter lies.
template <group_weights Weights, layout::architecture Architecture>
constexpr std::int64_t place_of_weight(std::int32_t tap, std::int32_t channel,
                                       std::int32_t filter) {
  constexpr std::int32_t depth = Weights.channels_of_group();
  constexpr layout::panels panels(Weights.taps * depth, Weights.filters, Architecture);
  const std::int32_t row = tap * depth + channel;
  return Weights.plain ? std::int64_t{row} * Weights.filters + filter : panels.offset(row, filter);
}

/// Plain weights as panels, zeros behind the filters. Parts are taps.
template <group_weights Weights, layout::architecture Architecture = layout::native>
void pack_taps(const float* __restrict w, float* __restrict packed, const grain& part) noexcept {
  constexpr std::int32_t depth = Weights.channels_of_group();
  constexpr layout::panels to(Weights.taps * depth, Weights.filters, Architecture);
  const index_range mine = range_of(Weights.taps, part);
  for (std::int32_t row = mine.begin * depth; row < mine.end * depth; ++row) {
    for (std::int32_t n = 0; n < layout::row_stride(Weights.filters, Architecture); ++n) {
      packed[to.offset(row, n)] = n < Weights.filters ? w[row * Weights.filters + n] : 0.0F;
    }
  }
}

/// For a product that sums over the filters of a group: panels of [taps, filters of a group,
/// channels], zeros behind the channels. Parts are taps.
template <group_weights Weights, layout::architecture Architecture = layout::native>
void transpose_groups(const float* __restrict w, float* __restrict transposed,
                      const grain& part) noexcept {
  constexpr std::int32_t depth = Weights.channels_of_group();
  constexpr std::int32_t filters = Weights.filters_of_group();
  constexpr layout::panels to(Weights.taps * filters, Weights.channels, Architecture);
  const index_range mine = range_of(Weights.taps, part);
  for (std::int32_t tap = mine.begin; tap < mine.end; ++tap) {
    for (std::int32_t filter = 0; filter < filters; ++filter) {
      for (std::int32_t n = 0; n < layout::row_stride(Weights.channels, Architecture); ++n) {
        const std::int32_t of_all = n / depth * filters + filter;
        transposed[to.offset(tap * filters + filter, n)] =
            n < Weights.channels ? w[place_of_weight<Weights, Architecture>(tap, n % depth, of_all)]
                                 : 0.0F;
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
