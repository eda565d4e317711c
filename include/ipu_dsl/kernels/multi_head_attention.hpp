// SPDX-License-Identifier: MIT
// What one head of a sample attends to, and the gradients: products through the tiles that all
// products go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/chain_sums.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/transpose.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Heads beside each other in the rows of a sample's queries, keys and values.
struct attention_heads {
  std::int32_t queries;  ///< positions that attend
  std::int32_t keys;     ///< positions that are attended to
  std::int32_t heads;
  std::int32_t key_width;
  std::int32_t value_width;
  bool causal;  ///< position i attends to positions 0 to i

  /// How many positions query `row` attends to, the first ones.
  constexpr std::int32_t attended(std::int32_t row) const {
    return causal && row + 1 < keys ? row + 1 : keys;
  }

  /// What products of queries and keys are multiplied by.
  float scale() const { return divide(1.0F, square_root(static_cast<float>(key_width))); }

  /// From a row of a sample's queries or keys to the next.
  constexpr std::int32_t key_stride() const { return layout::row_stride(heads * key_width); }

  constexpr std::int32_t value_stride() const { return layout::row_stride(heads * value_width); }

  constexpr std::int32_t score_stride() const { return layout::row_stride(keys); }
};

/// y = x w. Each number is one chain of multiply-adds in ascending order, from zero.
///   x  [Rows][XStride], the first `inputs` numbers of each row
///   w  [inputs][WStride], whole vectors of `Columns` numbers;  y  [Rows][WStride], the same
template <layout::architecture Architecture, std::int32_t Rows, std::int32_t Columns,
          std::int32_t XStride, std::int32_t WStride>
void multiply_rows(const float* x, const float* w, float* y, std::int32_t inputs) noexcept {
  constexpr panel_columns columns(Columns, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  const auto block = [&](auto block_vectors, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    tile_rows<Architecture, Rows, block_vectors>(
        {0, row_tiles(Rows, block_vectors, Architecture).parts()},
        [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          product_tile<Architecture, rows, block_vectors, WStride, XStride,
                       activation_kind::linear>(x + std::ptrdiff_t{first} * XStride, w + n, nullptr,
                                                y + std::ptrdiff_t{first} * WStride + n, WStride,
                                                inputs, 0.0F, {});
        });
  };
  for (std::int32_t panel = 0; panel < columns.full_panels; ++panel) {
    block(std::integral_constant<int, vectors>(), panel * width);
  }
  if constexpr (rest_vectors > 0) {
    block(std::integral_constant<int, rest_vectors>(), columns.full_panels * width);
  }
}

/// y = x^T d. Each number is one chain of multiply-adds over the `batch` rows, from zero.
///   x  [batch][x_stride], the first `Rows` numbers of each row
///   d  [batch][Stride], whole vectors of `Columns` numbers;  y  [Rows][Stride], the same
template <layout::architecture Architecture, std::int32_t Rows, std::int32_t Columns,
          std::int32_t Stride>
void multiply_transposed(const float* x, std::ptrdiff_t x_stride, const float* d, float* y,
                         std::int32_t batch) noexcept {
  constexpr panel_columns columns(Columns, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  const auto block = [&](auto block_vectors, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    tile_runs<Architecture, Rows, block_vectors>(
        {0, row_tiles(Rows, block_vectors, Architecture).parts()},
        [&](auto rows, std::int32_t first, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const gradient_target<no_update> target{.sum = y + std::ptrdiff_t{first} * Stride + n};
          outer_product_tiles<Architecture, rows, block_vectors, Stride, no_update>(
              {x + first, d + n, batch, x_stride, Stride}, target, count, {});
        });
  };
  for (std::int32_t panel = 0; panel < columns.full_panels; ++panel) {
    block(std::integral_constant<int, vectors>(), panel * width);
  }
  if constexpr (rest_vectors > 0) {
    block(std::integral_constant<int, rest_vectors>(), columns.full_panels * width);
  }
}

/// The `width` columns of a head as rows of their own, padded to whole vectors with zeros.
inline void take_head(const float* from, std::ptrdiff_t from_stride, float* to, std::int32_t rows,
                      std::int32_t width) noexcept {
  const std::int32_t stride = layout::row_stride(width);
  copy_columns(from, from_stride, to, stride, rows, width);
  clear_columns(to + width, stride, rows, stride - width);
}

/// Rows of a head back to its columns. Behind the last head stands the padding, which it clears.
inline void put_head(const float* from, float* to, std::ptrdiff_t to_stride, std::int32_t rows,
                     std::int32_t width, std::int32_t padding) noexcept {
  copy_columns(from, layout::row_stride(width), to, to_stride, rows, width);
  clear_columns(to + width, to_stride, rows, padding);
}

/// In place of numbers at which `mask` is 0 one at which it is not: they are none, and the largest
/// is not among them. Whether there is one.
inline bool fill_masked(float* row, const float* mask, std::int32_t units) noexcept {
  std::int32_t there = 0;
  while (there < units && mask[there] == 0.0F) {
    ++there;
  }
  for (std::int32_t n = 0; there < units && n < units; ++n) {
    row[n] = mask[n] == 0.0F ? row[there] : row[n];
  }
  return there < units;
}

/// What a row attends to, 1 or 0, by what it is told and by the mask of all rows, if there is one:
///   told  [units], there  [stride]: written, zeros behind `units`
inline void join_mask(const float* told, const float* mask, float* there, std::int32_t units,
                      std::int32_t stride) noexcept {
  for (std::int32_t n = 0; n < units; ++n) {
    const bool of_all = mask == nullptr || mask[n] != 0.0F;
    there[n] = of_all && told[n] != 0.0F ? 1.0F : 0.0F;
  }
  clear_padding(there, units, stride);
}

/// softmax(scale * row) of the first `units` numbers, zeros up to `stride`. The sum is one of
/// sixteen chains. With a mask [stride] of those at which it is 1, zeros at the others; all are
/// zeros where none is left.
template <layout::architecture Architecture, bool Masked = false>
IPU_DSL_ALWAYS_INLINE void attend_row(float* row, std::int32_t units, std::int32_t stride,
                                      float scale, const float* mask = nullptr) {
  if constexpr (Masked) {
    if (!fill_masked(row, mask, units)) {
      clear_padding(row, 0, stride);
      return;
    }
  }
  using lanes = vector<Architecture>;
  const lanes largest(row_maximum<Architecture>(row, units));
  const std::int32_t reached = layout::row_stride(units, Architecture);
  chain_sums<Architecture> sum;
  for_chain_vectors<Architecture>(
      reached, [&](std::int32_t n, std::int32_t part) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        lanes terms = exponential_below_one((load<lanes>(row + n) - largest) * lanes(scale));
        if (n + Architecture.lanes > units) {
          terms = first_lanes(terms, units - n);
        }
        if constexpr (Masked) {
          terms = terms * load<lanes>(mask + n);
        }
        store(row + n, terms);
        sum.sums[part] = sum.sums[part] + terms;
      });
  divide_row<Architecture>(row, reached, sum.total());
  clear_padding(row, reached, stride);
}

/// The gradient of what `attend_row` was given, from that of what it made, p: scale * p * (d - sum
/// of d * p), in place of d.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void attend_row_gradient(float* d, const float* p, std::int32_t stride,
                                               float scale) {
  using lanes = vector<Architecture>;
  chain_sums<Architecture> sum;
  for_chain_vectors<Architecture>(
      stride, [&](std::int32_t n, std::int32_t part) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        sum.sums[part] = multiply_add(load<lanes>(d + n), load<lanes>(p + n), sum.sums[part]);
      });
  const lanes total(sum.total());
  for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
    store(d + n, load<lanes>(p + n) * lanes(scale) * (load<lanes>(d + n) - total));
  }
}

/// softmax(q k^T / sqrt(key_width)) v of head `head` of one sample.
///   q        [queries][key_stride], k  [keys][key_stride], v  [keys][value_stride]
///   p        [queries][score_stride] of this head: written, what each query attends to
///   context  [queries][value_stride]: the columns of this head are written
///   mask     [score_stride]: 1 of a position that is attended to, where not all are
///   told     [queries][score_stride]: not 0 of a position that the query attends to, where each
///            has its own
template <attention_heads Of, bool Masked = false, bool Told = false,
          layout::architecture Architecture = layout::native>
void attend(const float* q, const float* k, const float* v, float* p, float* context,
            std::int32_t head, const float* mask = nullptr, const float* told = nullptr) noexcept {
  const float scale = Of.scale();
  constexpr std::int32_t key_rows = layout::row_stride(Of.key_width);
  constexpr std::int32_t value_rows = layout::row_stride(Of.value_width);
  float rows[std::size_t{Of.keys * key_rows}];
  float transposed[std::size_t{Of.key_width * Of.score_stride()}];
  take_head(k + head * Of.key_width, Of.key_stride(), rows, Of.keys, Of.key_width);
  transpose(rows, transposed, Of.keys, Of.key_width);
  multiply_rows<Architecture, Of.queries, Of.keys, Of.key_stride(), Of.score_stride()>(
      q + head * Of.key_width, transposed, p, Of.key_width);
  for (std::int32_t row = 0; row < Of.queries; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * Of.score_stride();
    const float* there = mask;
    float joined[Told ? std::size_t{Of.score_stride()} : 1];
    if constexpr (Told) {
      join_mask(told + first, mask, joined, Of.keys, Of.score_stride());
      there = joined;
    }
    attend_row<Architecture, Masked || Told>(p + first, Of.attended(row), Of.score_stride(), scale,
                                             there);
  }
  float values[std::size_t{Of.keys * value_rows}];
  float made[std::size_t{Of.queries * value_rows}];
  take_head(v + head * Of.value_width, Of.value_stride(), values, Of.keys, Of.value_width);
  multiply_rows<Architecture, Of.queries, Of.value_width, Of.score_stride(), value_rows>(
      p, values, made, Of.keys);
  put_head(made, context + head * Of.value_width, Of.value_stride(), Of.queries, Of.value_width,
           head + 1 == Of.heads ? Of.value_stride() - Of.heads * Of.value_width : 0);
}

/// What a head reads and writes for its gradients; strides as for `attend`.
struct attention_operands {
  const float* q;
  const float* k;
  const float* v;
  const float* p;
  const float* d;  ///< the gradient of the context
  float* dq;
  float* dk;
  float* dv;
  float* scores;  ///< [queries][score_stride] of this head: written, the gradient of its scores
};

/// The gradients of queries, keys and values: the columns of head `head` of one sample.
template <attention_heads Of, layout::architecture Architecture = layout::native>
void attend_gradient(const attention_operands& of, std::int32_t head) noexcept {
  const float scale = Of.scale();
  constexpr std::int32_t key_rows = layout::row_stride(Of.key_width);
  constexpr std::int32_t value_rows = layout::row_stride(Of.value_width);
  const std::ptrdiff_t key_column = std::ptrdiff_t{head} * Of.key_width;
  const std::ptrdiff_t value_column = std::ptrdiff_t{head} * Of.value_width;
  const bool last = head + 1 == Of.heads;
  const std::int32_t key_padding = last ? Of.key_stride() - Of.heads * Of.key_width : 0;
  const std::int32_t value_padding = last ? Of.value_stride() - Of.heads * Of.value_width : 0;
  {
    float values[std::size_t{Of.keys * value_rows}];
    float transposed[std::size_t{Of.value_width * Of.score_stride()}];
    take_head(of.v + value_column, Of.value_stride(), values, Of.keys, Of.value_width);
    transpose(values, transposed, Of.keys, Of.value_width);
    multiply_rows<Architecture, Of.queries, Of.keys, Of.value_stride(), Of.score_stride()>(
        of.d + value_column, transposed, of.scores, Of.value_width);
  }
  {
    float slopes[std::size_t{Of.queries * value_rows}];
    float made[std::size_t{Of.keys * value_rows}];
    take_head(of.d + value_column, Of.value_stride(), slopes, Of.queries, Of.value_width);
    multiply_transposed<Architecture, Of.keys, Of.value_width, value_rows>(
        of.p, Of.score_stride(), slopes, made, Of.queries);
    put_head(made, of.dv + value_column, Of.value_stride(), Of.keys, Of.value_width, value_padding);
  }
  for (std::int32_t row = 0; row < Of.queries; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * Of.score_stride();
    attend_row_gradient<Architecture>(of.scores + first, of.p + first, Of.score_stride(), scale);
  }
  {
    float keys[std::size_t{Of.keys * key_rows}];
    float made[std::size_t{Of.queries * key_rows}];
    take_head(of.k + key_column, Of.key_stride(), keys, Of.keys, Of.key_width);
    multiply_rows<Architecture, Of.queries, Of.key_width, Of.score_stride(), key_rows>(
        of.scores, keys, made, Of.keys);
    put_head(made, of.dq + key_column, Of.key_stride(), Of.queries, Of.key_width, key_padding);
  }
  float queries[std::size_t{Of.queries * key_rows}];
  float made[std::size_t{Of.keys * key_rows}];
  take_head(of.q + key_column, Of.key_stride(), queries, Of.queries, Of.key_width);
  multiply_transposed<Architecture, Of.keys, Of.key_width, key_rows>(of.scores, Of.score_stride(),
                                                                     queries, made, Of.queries);
  put_head(made, of.dk + key_column, Of.key_stride(), Of.keys, Of.key_width, key_padding);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
