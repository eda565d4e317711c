// SPDX-License-Identifier: MIT
// Softmax over rows, its logarithm, and their gradients. Sums are sixteen chains, of up to
// sixteen units one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/chain_sums.hpp>
#include <ipu_dsl/kernels/exponential.hpp>
#include <ipu_dsl/kernels/logarithm.hpp>
#include <ipu_dsl/kernels/row_sum.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The largest of the numbers of a vector, by four at once.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float largest_lane(const vector<Architecture>& all) noexcept {
  constexpr layout::architecture narrow{4, Architecture.registers, Architecture.fused_multiply_add};
  using quarter = vector<narrow>;
  float elements[std::size_t{Architecture.lanes}];
  store(elements, all);
  quarter largest_quarter = load<quarter>(elements);
  for (std::int32_t n = 4; n < Architecture.lanes; n += 4) {
    largest_quarter = maximum(largest_quarter, load<quarter>(elements + n));
  }
  store(elements, largest_quarter);
  return maximum(maximum(elements[0], elements[1]), maximum(elements[2], elements[3]));
}

/// The largest of the first `units` elements. Their order cannot matter, so vectors may be used.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float row_maximum(const float* row, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  float largest = row[0];
  std::int32_t n = 0;
  if (units >= Architecture.lanes) {
    lanes largest_lanes = load<lanes>(row);
    for (n = Architecture.lanes; n + Architecture.lanes <= units; n += Architecture.lanes) {
      largest_lanes = maximum(largest_lanes, load<lanes>(row + n));
    }
    largest = largest_lane<Architecture>(largest_lanes);
  }
  for (; n < units; ++n) {
    largest = maximum(largest, row[n]);
  }
  return largest;
}

/// So many numbers are one chain in ascending order, more are as many chains: see `row_sum`.
inline constexpr std::int32_t softmax_chains = 16;

/// What becomes of zero by `add(sum, a, b)` over the pairs of a row.
template <layout::architecture Architecture, typename Add>
IPU_DSL_ALWAYS_INLINE float sum_of_pairs(const float* a, const float* b, std::int32_t units,
                                         const Add& add) noexcept {
  if (units > softmax_chains) {
    return row_sum<Architecture>(a, b, units, add);
  }
  float sum = 0.0F;
  for (std::int32_t n = 0; n < units; ++n) {
    sum = add(sum, a[n], b[n]);
  }
  return sum;
}

/// e^(x - largest) of a vector of elements.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE vector<Architecture> exponentials(const float* x, float largest) noexcept {
  using lanes = vector<Architecture>;
  return exponential_below_one(load<lanes>(x) - lanes(largest));
}

/// `row_exponentials` of a row that is one chain.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float exponentials_in_chain(const float* x, float largest, float* y,
                                                  std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  float terms[std::size_t{Architecture.lanes}];
  float sum = 0.0F;
  for (std::int32_t n = 0; n < units; n += Architecture.lanes) {
    const std::int32_t rest = units - n;
    const std::int32_t count = rest < Architecture.lanes ? rest : Architecture.lanes;
    const lanes all = exponentials<Architecture>(x + n, largest);
    store(terms, all);
    for (std::int32_t i = 0; i < count; ++i) {
      sum = sum + terms[i];
    }
    if (y != nullptr) {
      store(y + n, first_lanes(all, count));
    }
  }
  return sum;
}

/// The sum of e^(x - largest) over the first `units` elements. The terms are written to `y`,
/// padding with zero, unless it is null; `y` may be `x`.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float row_exponentials(const float* x, float largest, float* y,
                                             std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t parts = softmax_chains / Architecture.lanes;
  if (units <= softmax_chains) {
    return exponentials_in_chain<Architecture>(x, largest, y, units);
  }
  lanes sums[std::size_t{parts}];
  for (lanes& each : sums) {
    each = lanes(0.0F);
  }
  const auto add = [&](const lanes& terms, std::int32_t n, std::int32_t part)
                       IPU_DSL_ALWAYS_INLINE_LAMBDA {
                         if (y != nullptr) {
                           store(y + n, terms);
                         }
                         sums[part] = sums[part] + terms;
                       };
  const std::int32_t whole = units / Architecture.lanes * Architecture.lanes;
  for_chain_vectors<Architecture>(
      whole, [&](std::int32_t n, std::int32_t part) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        add(exponentials<Architecture>(x + n, largest), n, part);
      });
  if (whole < units) {
    const lanes terms = exponentials<Architecture>(x + whole, largest);
    add(first_lanes(terms, units - whole), whole, whole / Architecture.lanes % parts);
  }
  float chain[std::size_t{softmax_chains}];
  for (std::int32_t part = 0; part < parts; ++part) {
    store(chain + part * Architecture.lanes, sums[part]);
  }
  float sum = 0.0F;
  for (const float each : chain) {
    sum = sum + each;
  }
  return sum;
}

/// The numbers of a row [stride] by their sum, as multiplications by its inverse: a division of a
/// vector takes ten times as long.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void divide_row(float* row, std::int32_t stride, float sum) noexcept {
  using lanes = vector<Architecture>;
  const lanes inverse(divide(1.0F, sum));
  for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
    store(row + n, load<lanes>(row + n) * inverse);
  }
}

/// `softmax_forward` of at most `rows_in_turn` rows.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void softmax_some_rows(const float* x, float* y, std::int32_t rows,
                                             std::int32_t units) noexcept {
  const std::ptrdiff_t stride = layout::row_stride(units, Architecture);
  float largest[std::size_t{rows_in_turn}];
  for (std::int32_t row = 0; row < rows; ++row) {
    largest[row] = row_maximum<Architecture>(x + row * stride, units);
  }
  float sums[std::size_t{rows_in_turn}];
  for (std::int32_t row = 0; row < rows; ++row) {
    sums[row] =
        row_exponentials<Architecture>(x + row * stride, largest[row], y + row * stride, units);
  }
  for (std::int32_t row = 0; row < rows; ++row) {
    divide_row<Architecture>(y + row * stride, static_cast<std::int32_t>(stride), sums[row]);
  }
}

/// y = softmax(x) of every row, both [rows][row_stride(units)]; `y` may be `x`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void softmax_forward(const float* x, float* y, std::int32_t rows,
                                       std::int32_t units) noexcept {
  const std::ptrdiff_t stride = layout::row_stride(units, Architecture);
  blocks_of(rows, rows_in_turn, [&](const index_range& block) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    softmax_some_rows<Architecture>(x + block.begin * stride, y + block.begin * stride,
                                    block.end - block.begin, units);
  });
}

/// dx = y * (gradient - sum of gradient * y) of every row, from y = softmax(x), all
/// [rows][row_stride(units)]; `dx` may be `gradient`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void softmax_gradient(const float* gradient, const float* y, float* dx,
                                        std::int32_t rows, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    const float mean = row_sum<Architecture>(
        gradient, y, units,
        [](const auto& sum, const auto& slope, const auto& share)
            IPU_DSL_ALWAYS_INLINE_LAMBDA { return multiply_add(slope, share, sum); });
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      store(dx + n, load<lanes>(y + n) * (load<lanes>(gradient + n) - lanes(mean)));
    }
    clear_padding(dx, units, stride);
    gradient += stride;
    y += stride;
    dx += stride;
  }
}

/// y = ln softmax(x) of every row, both [rows][row_stride(units)]; `y` may be `x`. Of what is far
/// below the largest it is finite, where the logarithm of softmax would not be.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void log_softmax_forward(const float* x, float* y, std::int32_t rows,
                                           std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    const float largest = row_maximum<Architecture>(x, units);
    const float sum = row_exponentials<Architecture>(x, largest, nullptr, units);
    const lanes of_sum(logarithm(sum));
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      store(y + n, (load<lanes>(x + n) - lanes(largest)) - of_sum);
    }
    clear_padding(y, units, stride);
    x += stride;
    y += stride;
  }
}

/// dx = gradient - e^y * (sum of gradient) of every row, from y = ln softmax(x), all
/// [rows][row_stride(units)]; `dx` may be `gradient`.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void log_softmax_gradient(const float* gradient, const float* y, float* dx,
                                            std::int32_t rows, std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = layout::row_stride(units, Architecture);
  for (std::int32_t row = 0; row < rows; ++row) {
    const float sum =
        sum_of_pairs<Architecture>(gradient, gradient, units,
                                   [](const auto& before, const auto& next, const auto&)
                                       IPU_DSL_ALWAYS_INLINE_LAMBDA { return before + next; });
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      const lanes probability = exponential(load<lanes>(y + n));
      store(dx + n, multiply_add(probability, lanes(-sum), load<lanes>(gradient + n)));
    }
    clear_padding(dx, units, stride);
    gradient += stride;
    y += stride;
    dx += stride;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
