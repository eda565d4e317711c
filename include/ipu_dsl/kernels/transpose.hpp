// SPDX-License-Identifier: MIT
// Between activations [batch][row_stride] and transposed gradients [units][batch_stride].
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Vectors of four: xsimd 8.1 interleaves no vectors of sixteen, and four by four takes fewer
/// shuffles per element than eight by eight.
using quad = vector<{4, layout::native.registers, layout::native.fused_multiply_add}>;

inline constexpr std::int32_t quad_lanes = 4;

/// `Count` of them side by side in one vector: 1, 2 or 4.
template <std::int32_t Count>
using quads =
    vector<{Count * quad_lanes, layout::native.registers, layout::native.fused_multiply_add}>;

/// Fours that lie `apart` floats from each other.
template <std::int32_t Count>
IPU_DSL_ALWAYS_INLINE quads<Count> load_quads(const float* from, std::ptrdiff_t apart) {
  const auto at = [&](std::ptrdiff_t i)
                      IPU_DSL_ALWAYS_INLINE_LAMBDA { return load<quad>(from + i * apart); };
  if constexpr (Count == 4) {
    return side_by_side(at(0), at(1), at(2), at(3));
  } else if constexpr (Count == 2) {
    return side_by_side(at(0), at(1));
  } else {
    return at(0);
  }
}

template <std::int32_t Count>
IPU_DSL_ALWAYS_INLINE void store_quads(float* to, std::ptrdiff_t apart, const quads<Count>& value) {
  if constexpr (Count == 1) {
    store(to, value);
  } else {
    store(to, quad_of<0>(value));
    store(to + apart, quad_of<1>(value));
  }
  if constexpr (Count == 4) {
    store(to + 2 * apart, quad_of<2>(value));
    store(to + 3 * apart, quad_of<3>(value));
  }
}

/// Blocks of four by four in registers, side by side, each in place.
template <typename Quads>
IPU_DSL_ALWAYS_INLINE void transpose_quads(Quads (&rows)[4]) {
  const Quads even_low = interleave_low(rows[0], rows[2]);
  const Quads even_high = interleave_high(rows[0], rows[2]);
  const Quads odd_low = interleave_low(rows[1], rows[3]);
  const Quads odd_high = interleave_high(rows[1], rows[3]);
  rows[0] = interleave_low(even_low, odd_low);
  rows[1] = interleave_high(even_low, odd_low);
  rows[2] = interleave_low(even_high, odd_high);
  rows[3] = interleave_high(even_high, odd_high);
}

/// Blocks of whole vectors of rows and four columns each, turned: `read(row, column, i)` is line i
/// of one as it lies, `write(row, column, i, line)` takes the turned ones.
template <layout::architecture Architecture, typename Read, typename Write>
IPU_DSL_ALWAYS_INLINE void turn_blocks(std::int32_t rows, std::int32_t columns, const Read& read,
                                       const Write& write) {
  for (std::int32_t row = 0; row < rows; row += Architecture.lanes) {
    for (std::int32_t column = 0; column < columns; column += quad_lanes) {
      quads<Architecture.lanes / quad_lanes> block[4];
      IPU_DSL_UNROLLED
      for (int i = 0; i < 4; ++i) {
        block[i] = read(row, column, i);
      }
      transpose_quads(block);
      IPU_DSL_UNROLLED
      for (int i = 0; i < 4; ++i) {
        write(row, column, i, block[i]);
      }
    }
  }
}

/// to[column][row] = from[row][column], of whole vectors of rows and whole fours of columns.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void rows_to_columns(const float* from, std::ptrdiff_t from_stride, float* to,
                                           std::ptrdiff_t to_stride, std::int32_t rows,
                                           std::int32_t columns) {
  constexpr std::int32_t count = Architecture.lanes / quad_lanes;
  turn_blocks<Architecture>(
      rows, columns,
      [&](std::int32_t row, std::int32_t column, int i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        return load_quads<count>(from + (row + i) * from_stride + column, quad_lanes * from_stride);
      },
      [&](std::int32_t row, std::int32_t column, int i, const quads<count>& line)
          IPU_DSL_ALWAYS_INLINE_LAMBDA { store(to + (column + i) * to_stride + row, line); });
}

/// to[row][column] = from[column][row]: back.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void columns_to_rows(const float* from, std::ptrdiff_t from_stride, float* to,
                                           std::ptrdiff_t to_stride, std::int32_t rows,
                                           std::int32_t columns) {
  constexpr std::int32_t count = Architecture.lanes / quad_lanes;
  turn_blocks<Architecture>(
      rows, columns,
      [&](std::int32_t row, std::int32_t column, int i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        return load<quads<count>>(from + (column + i) * from_stride + row);
      },
      [&](std::int32_t row, std::int32_t column, int i, const quads<count>& line)
          IPU_DSL_ALWAYS_INLINE_LAMBDA {
            store_quads<count>(to + (row + i) * to_stride + column, quad_lanes * to_stride, line);
          });
}

/// to = from^T.
///   from  [rows][whole vectors of columns]
///   to    [columns][whole vectors of rows], every element written, padding with zero
/// Activations to transposed gradients and back are the same call with the extents exchanged.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void transpose(const float* __restrict from, float* __restrict to,
                                 std::int32_t rows, std::int32_t columns) noexcept {
  const std::ptrdiff_t from_stride = layout::whole_vectors(columns, Architecture);
  const std::int32_t to_stride = layout::whole_vectors(rows, Architecture);
  const auto one_block = [&]<std::int32_t Count>(std::int32_t row,
                                                 std::int32_t column) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    quads<Count> block[4];
    const float* const source = from + row * from_stride + column;
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      block[i] = row + i < rows
                     ? load_quads<Count>(source + i * from_stride, quad_lanes * from_stride)
                     : quads<Count>(0.0F);
    }
    transpose_quads(block);
    float* const target = to + column * to_stride + row;
    IPU_DSL_UNROLLED
    for (int i = 0; i < 4; ++i) {
      if (column + i < columns) {
        store(target + i * to_stride, block[i]);
      }
    }
  };
  for (std::int32_t column = 0; column < columns; column += quad_lanes) {
    std::int32_t row = 0;
    for (; row + Architecture.lanes <= rows; row += Architecture.lanes) {
      one_block.template operator()<Architecture.lanes / quad_lanes>(row, column);
    }
    for (; row < to_stride; row += quad_lanes) {
      one_block.template operator()<1>(row, column);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
