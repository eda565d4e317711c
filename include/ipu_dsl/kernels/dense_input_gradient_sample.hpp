// SPDX-License-Identifier: MIT
// The input gradient of a dense layer for a single sample: a dot product for every row of weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A row's dot product is this many chains of multiply-adds, whatever the width of vectors: chain j
/// takes the outputs j, j + 16, j + 32 and so on in ascending order from zero. Their sum is taken
/// in halves: i and i + 8 make eight, i and i + 4 of these four, and so on. Zero is added to it, so
/// that no gradient is -0: a product of padding makes 0 of a chain that underflowed to -0, and how
/// much padding there is depends on the vectors.
inline constexpr std::int32_t row_chains = 16;

/// Vectors that hold the chains of a row.
constexpr std::int32_t chain_vectors(layout::architecture target) {
  return row_chains / target.lanes;
}

/// Panels of `vectors` vectors until one begins with the first chain again.
constexpr std::int32_t chain_period(std::int32_t vectors, layout::architecture target) {
  std::int32_t panels = 1;
  while (panels * vectors % chain_vectors(target) != 0) {
    ++panels;
  }
  return panels;
}

/// Rows of a tile, which share each load of gradients: at least eight accumulators, so that none is
/// waited for, and a quarter of the registers is left for operands.
constexpr std::int32_t chain_rows(layout::architecture target) {
  constexpr std::int32_t most = 8;
  const std::int32_t rows = target.registers * 3 / 4 / chain_vectors(target);
  return rows < most ? rows : most;
}

/// The chains of `Rows` rows over `vectors` vectors of outputs, the first of which begins a panel
/// and belongs to the first chain.
///   w       the tile's first row in that panel; `panel_size` is the distance of two panels
///   d       [vectors][lanes]
///   chains  [Rows][row_chains], continued if `continues`
template <layout::architecture Architecture, int Rows, int Vectors>
[[gnu::noinline]] void dense_input_gradient_chains(const float* __restrict w,
                                                   const float* __restrict d,
                                                   float* __restrict chains, std::int32_t vectors,
                                                   std::ptrdiff_t panel_size,
                                                   bool continues) noexcept {
  using lanes = vector<Architecture>;
  constexpr int lane_count = Architecture.lanes;
  static_assert(row_chains % lane_count == 0);
  constexpr int row_vectors = chain_vectors(Architecture);
  constexpr int turn = Vectors * chain_period(Vectors, Architecture);
  static_assert(Rows * row_vectors <= 32 && turn <= 32, "loops are unrolled up to there");
  lanes sums[std::size_t{Rows * row_vectors}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < Rows * row_vectors; ++i) {
    sums[i] = continues ? load<lanes>(chains + i * lane_count) : lanes(0.0F);
  }
  const auto one_vector = [&](int v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const lanes slopes = load<lanes>(d + v * lane_count);
    const float* const column = w + v / Vectors * panel_size + v % Vectors * lane_count;
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      lanes& sum = sums[row * row_vectors + v % row_vectors];
      sum = multiply_add(slopes, load<lanes>(column + row * (Vectors * lane_count)), sum);
    }
  };
#pragma GCC unroll 1
  for (; vectors >= turn; vectors -= turn) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < turn; ++v) {
      one_vector(v);
    }
    w += turn / Vectors * panel_size;
    d += turn * lane_count;
  }
  IPU_DSL_UNROLLED
  for (int v = 0; v < turn - 1; ++v) {
    if (v < vectors) {
      one_vector(v);
    }
  }
  IPU_DSL_UNROLLED
  for (int i = 0; i < Rows * row_vectors; ++i) {
    store(chains + i * lane_count, sums[i]);
  }
}

/// The sums of the chains of `rows` rows, four at a time: at the end the lanes are rows.
///   chains         [rows][row_chains]
///   dx_transposed  [rows][batch_stride(1)], every element written
template <layout::architecture Architecture>
[[gnu::noinline]] void dense_input_gradient_sums(const float* __restrict chains,
                                                 float* __restrict dx_transposed,
                                                 std::int32_t rows) noexcept {
  const auto four_sums = [&](std::int32_t i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const float* const row = chains + i * row_chains;
    return (load<quad>(row) + load<quad>(row + 8)) + (load<quad>(row + 4) + load<quad>(row + 12));
  };
  // Of a0 a1 a2 a3 and b0 b1 b2 b3: a0 + a2, b0 + b2, a1 + a3, b1 + b3.
  const auto halves = [](const quad& a, const quad& b) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return interleave_low(a, b) + interleave_high(a, b);
  };
  const auto some_rows = [&](auto count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const quad even = halves(four_sums(0), four_sums(2 % count));
    const quad odd = halves(four_sums(1 % count), four_sums(3 % count));
    float sums[4];
    store(sums, halves(even, odd) + quad(0.0F));
    for (int i = 0; i < count; ++i) {
      store(dx_transposed, vector<Architecture>(0.0F));
      *dx_transposed = sums[i];
      dx_transposed += Architecture.lanes;
    }
    chains += count * row_chains;
  };
#pragma GCC unroll 1
  for (; rows >= 4; rows -= 4) {
    some_rows(std::integral_constant<int, 4>());
  }
#pragma GCC unroll 1
  for (; rows > 0; --rows) {
    some_rows(std::integral_constant<int, 1>());
  }
}

/// The gradients of a single sample side by side.
///   d_transposed  [count][batch_stride(1)]
///   d             [padded], zero from `count` on
template <layout::architecture Architecture>
[[gnu::noinline]] void gather_sample(const float* __restrict d_transposed, float* __restrict d,
                                     std::int32_t count, std::int32_t padded) noexcept {
  constexpr std::ptrdiff_t stride = Architecture.lanes;
  std::int32_t n = 0;
#pragma GCC unroll 1
  for (; n + quad_lanes <= count; n += quad_lanes) {
    const float* const from = d_transposed + n * stride;
    const quad even = interleave_low(load<quad>(from), load<quad>(from + 2 * stride));
    const quad odd = interleave_low(load<quad>(from + stride), load<quad>(from + 3 * stride));
    store(d + n, interleave_low(even, odd));
  }
  for (; n < count; ++n) {
    d[n] = d_transposed[n * stride];
  }
  for (; n < padded; ++n) {
    d[n] = 0.0F;
  }
}

/// The most columns whose gradients are gathered at once: 16 KB on the stack, whatever the layer.
inline constexpr std::int32_t most_gathered_columns = 4096;

/// The most rows whose chains are kept at once: 4 KB on the stack.
inline constexpr std::int32_t most_chained_rows = 64;

/// How many columns a stretch has: all, or as many panels as end with the last chain.
template <layout::architecture Architecture, int Outputs>
constexpr std::int32_t stretch_columns() {
  constexpr std::int32_t columns = layout::whole_vectors(Outputs, Architecture);
  constexpr std::int32_t width = layout::panel_width(Outputs, Architecture);
  constexpr std::int32_t turn = width * chain_period(width / Architecture.lanes, Architecture);
  return columns < most_gathered_columns ? columns : most_gathered_columns / turn * turn;
}

/// dx = W d for a single sample, or a grain of it; see `dense_input_gradient`. Blocks of rows go
/// through the outputs stretch by stretch.
template <layout::architecture Architecture, int Inputs, int Outputs>
IPU_DSL_ALWAYS_INLINE void dense_input_gradient_sample(const float* w, const float* d_transposed,
                                                       float* dx_transposed,
                                                       const grain& part) noexcept {
  constexpr int lanes = Architecture.lanes;
  constexpr int width = layout::panel_width(Outputs, Architecture);
  constexpr int columns = layout::whole_vectors(Outputs, Architecture);
  constexpr int stretch = stretch_columns<Architecture, Outputs>();
  constexpr int tile_limit = chain_rows(Architecture);
  constexpr int block_tiles = most_chained_rows / tile_limit;
  constexpr layout::balanced_split split = layout::split_evenly(Inputs, tile_limit);
  alignas(64) float d[std::size_t{stretch}];
  alignas(64) float chains[std::size_t{most_chained_rows * row_chains}];
  const index_range tiles = range_of(split.parts(), part);
  for (std::int32_t tile = tiles.begin; tile < tiles.end; tile += block_tiles) {
    const std::int32_t left = tiles.end - tile;
    const index_range block{tile, tile + (left < block_tiles ? left : block_tiles)};
    const std::int32_t first_row = split.begin(block.begin);
    for (std::int32_t n = 0; n < columns; n += stretch) {
      const std::int32_t here = columns - n < stretch ? columns - n : stretch;
      if (columns > stretch || tile == tiles.begin) {
        const std::int32_t units = Outputs - n < here ? Outputs - n : here;
        gather_sample<Architecture>(d_transposed + std::ptrdiff_t{n} * lanes, d, units, here);
      }
      parts_of<Inputs, tile_limit>(
          block, [&](auto rows, std::int32_t row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
            const std::ptrdiff_t from = std::ptrdiff_t{n} * Inputs + std::ptrdiff_t{row} * width;
            dense_input_gradient_chains<Architecture, rows, width / lanes>(
                w + from, d, chains + (row - first_row) * row_chains, here / lanes,
                std::ptrdiff_t{Inputs} * width, n > 0);
          });
    }
    dense_input_gradient_sums<Architecture>(chains,
                                            dx_transposed + std::ptrdiff_t{first_row} * lanes,
                                            split.begin(block.end) - first_row);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
