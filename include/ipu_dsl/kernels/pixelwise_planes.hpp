// SPDX-License-Identifier: MIT
// Products over windows of few units with pixels as lanes: rows of sources are laid out as planes
// of numbers first, and tiles of such planes stored as pixels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/pixelwise_cut.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Lays out one row of sources.
template <layout::architecture Architecture, window_product Product>
[[gnu::noinline]] void lay_out_row(const float* __restrict row, float* __restrict planes) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  constexpr std::int32_t from = (std::max)(cut::first_source, 0);
  constexpr std::int32_t to = (std::min)(cut::first_source + cut::length, Product.columns.sources);
  constexpr std::int32_t before = from - cut::first_source;
  if constexpr (Product.read.pixel == 1) {
    for (std::int32_t column = from; column < to; ++column) {
      planes[before + column - from] = row[column];
    }
  } else if constexpr (Product.read.pixel % quad_lanes == 0) {
    std::int32_t column = from;
    for (; column + quad_lanes <= to; column += quad_lanes) {
      for (std::int32_t k = 0; k < Product.depth; k += quad_lanes) {
        quad block[4];
        IPU_DSL_UNROLLED
        for (int i = 0; i < 4; ++i) {
          block[i] = load<quad>(row + (column + i) * Product.read.pixel + k);
        }
        transpose_quads(block);
        IPU_DSL_UNROLLED
        for (int i = 0; i < 4; ++i) {
          if (k + i < Product.depth) {
            store(planes + (k + i) * cut::plane + before + column - from, block[i]);
          }
        }
      }
    }
    for (; column < to; ++column) {
      for (std::int32_t k = 0; k < Product.depth; ++k) {
        planes[k * cut::plane + before + column - from] = row[column * Product.read.pixel + k];
      }
    }
  } else {
    for (std::int32_t k = 0; k < Product.depth; ++k) {
      for (std::int32_t column = from; column < to; ++column) {
        planes[k * cut::plane + before + column - from] = row[column * Product.read.pixel + k];
      }
    }
  }
}

/// Writes up to sixteen pixels of at most eight units, a vector of sixteen each, zeros behind the
/// units.
///   sums  [units][whole vectors of pixels], from the first of these pixels on
template <layout::architecture Architecture, window_product Product>
IPU_DSL_ALWAYS_INLINE void store_sixteen_pixels(const float* sums, std::int32_t row, float* y,
                                                std::int32_t pixels) {
  static_assert(Product.units <= 2 * quad_lanes);
  using lanes = vector<Architecture>;
  lanes low[4];
  lanes high[4];
  const auto of_unit = [&](std::int32_t unit) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return unit < Product.units ? load<lanes>(sums + unit * row) : lanes(0.0F);
  };
  IPU_DSL_UNROLLED
  for (int i = 0; i < 4; ++i) {
    low[i] = of_unit(i);
    high[i] = of_unit(quad_lanes + i);
  }
  transpose_quads(low);
  transpose_quads(high);
  const auto store_quad = [&](auto first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      if (first.value + i < pixels) {
        store(y + (first.value + i) * Product.written.pixel,
              join_quads<first.value>(low[i], high[i]));
      }
    }
  };
  store_quad(std::integral_constant<std::int32_t, 0>());
  store_quad(std::integral_constant<std::int32_t, 4>());
  store_quad(std::integral_constant<std::int32_t, 8>());
  store_quad(std::integral_constant<std::int32_t, 12>());
}

/// Writes a tile as pixels of whole vectors of units, zeros behind the units.
///   sums  [units][whole vectors of pixels]
template <layout::architecture Architecture, window_product Product, std::int32_t Pixels>
IPU_DSL_ALWAYS_INLINE void store_pixels(const float* sums, float* y) {
  constexpr std::int32_t stride = layout::row_stride(Product.units, Architecture);
  constexpr std::int32_t row = layout::whole_vectors(Pixels, Architecture);
  if constexpr (Architecture.lanes == 4 * quad_lanes) {
    IPU_DSL_UNROLLED
    for (std::int32_t pixel = 0; pixel < Pixels; pixel += Architecture.lanes) {
      store_sixteen_pixels<Architecture, Product>(
          sums + pixel, row, y + pixel * Product.written.pixel, Pixels - pixel);
    }
  } else {
    // Two blocks of four units beside each other where a vector holds eight.
    constexpr std::int32_t blocks = Architecture.lanes == 2 * quad_lanes ? 2 : 1;
    using lanes = quads<blocks>;
    const auto four = [&](std::int32_t unit, std::int32_t pixel) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      return unit < Product.units ? load<quad>(sums + unit * row + pixel) : quad(0.0F);
    };
    IPU_DSL_UNROLLED
    for (std::int32_t pixel = 0; pixel < Pixels; pixel += quad_lanes) {
      IPU_DSL_UNROLLED
      for (std::int32_t unit = 0; unit < stride; unit += blocks * quad_lanes) {
        lanes block[4];
        IPU_DSL_UNROLLED
        for (int i = 0; i < 4; ++i) {
          if constexpr (blocks == 2) {
            block[i] = side_by_side(four(unit + i, pixel), four(unit + quad_lanes + i, pixel));
          } else {
            block[i] = four(unit + i, pixel);
          }
        }
        if (unit < Product.units) {
          transpose_quads(block);
        }
        IPU_DSL_UNROLLED
        for (int i = 0; i < 4; ++i) {
          if (Pixels % quad_lanes == 0 || pixel + i < Pixels) {
            store(y + (pixel + i) * Product.written.pixel + unit, block[i]);
          }
        }
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
