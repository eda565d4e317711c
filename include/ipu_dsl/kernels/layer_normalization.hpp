// SPDX-License-Identifier: MIT
// Rows normalised by their own mean and deviation, or by their root mean square, and the gradients.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/chain_sums.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What becomes of the numbers of a row.
struct normalization_form {
  bool centers;  ///< the mean is taken off; otherwise it counts as zero
  bool scales;   ///< there is a gamma
  bool shifts;   ///< there is a beta
};

/// Rows of `units` numbers, each padded to whole vectors, of samples of `positions` rows.
struct normalized_rows {
  std::int32_t positions;
  std::int32_t units;

  constexpr std::int32_t stride(layout::architecture target) const {
    return layout::row_stride(units, target);
  }

  /// Where what is kept of row `row` of a batch stands: one number for each position.
  constexpr std::ptrdiff_t kept_at(std::int32_t row, layout::architecture target) const {
    const std::ptrdiff_t sample = row / positions;
    return sample * layout::row_stride(positions, target) + row % positions;
  }
};

/// What rows were normalised by: (x - mean) * inverse. Rows that are not centred have no mean.
struct row_moments {
  float* mean;
  float* inverse;

  template <bool Centers>
  IPU_DSL_ALWAYS_INLINE float mean_at(std::ptrdiff_t row) const {
    if constexpr (Centers) {
      return mean[row];
    } else {
      return 0.0F;
    }
  }
};

/// The mean of a row.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float mean_of_row(const float* x, std::int32_t units) {
  using lanes = vector<Architecture>;
  chain_sums<Architecture> sum;
  // Padding is zero.
  for_chain_vectors<Architecture>(
      layout::row_stride(units, Architecture),
      [&](std::int32_t n, std::int32_t part)
          IPU_DSL_ALWAYS_INLINE_LAMBDA { sum.sums[part] = sum.sums[part] + load<lanes>(x + n); });
  return divide(sum.total(), static_cast<float>(units));
}

/// The mean of the squares of (x - mean).
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE float mean_square_of_row(const float* x, float mean, std::int32_t units) {
  using lanes = vector<Architecture>;
  constexpr std::int32_t width = Architecture.lanes;
  const std::int32_t whole = units / width * width;
  chain_sums<Architecture> squares;
  const auto add = [&](const lanes& centred, std::int32_t part) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    squares.sums[part] = multiply_add(centred, centred, squares.sums[part]);
  };
  for_chain_vectors<Architecture>(
      whole, [&](std::int32_t n, std::int32_t part)
                 IPU_DSL_ALWAYS_INLINE_LAMBDA { add(load<lanes>(x + n) - lanes(mean), part); });
  if (whole < units) {
    add(first_lanes(load<lanes>(x + whole) - lanes(mean), units - whole),
        whole / width % squares.parts);
  }
  return divide(squares.total(), static_cast<float>(units));
}

/// What rows are normalised by.
template <normalization_form Form, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void moments_of_rows(const float* __restrict x, float epsilon,
                                           const normalized_rows& rows, const index_range& mine,
                                           const row_moments& kept) {
  const std::ptrdiff_t stride = rows.stride(Architecture);
  if constexpr (Form.centers) {
    for (std::int32_t row = mine.begin; row < mine.end; ++row) {
      kept.mean[rows.kept_at(row, Architecture)] =
          mean_of_row<Architecture>(x + row * stride, rows.units);
    }
  }
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const std::ptrdiff_t at = rows.kept_at(row, Architecture);
    const float around = mean_square_of_row<Architecture>(
        x + row * stride, kept.template mean_at<Form.centers>(at), rows.units);
    kept.inverse[at] = divide(1.0F, square_root(around + epsilon));
  }
}

/// `normalize_rows` by what `moments_of_rows` found.
template <normalization_form Form, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void write_normalized(const float* __restrict x,
                                            const float* __restrict gamma,
                                            const float* __restrict beta,
                                            const normalized_rows& rows, const index_range& mine,
                                            float* __restrict y, const row_moments& by) {
  using lanes = vector<Architecture>;
  const std::int32_t stride = rows.stride(Architecture);
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const float* const read = x + std::ptrdiff_t{row} * stride;
    float* const written = y + std::ptrdiff_t{row} * stride;
    const std::ptrdiff_t at = rows.kept_at(row, Architecture);
    const lanes mean(by.template mean_at<Form.centers>(at));
    const lanes inverse(by.inverse[at]);
    const auto normalized = [&](std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const lanes centred = load<lanes>(read + n) - mean;
      const lanes shift = Form.shifts ? load<lanes>(beta + n) : lanes(0.0F);
      if constexpr (Form.scales) {
        return multiply_add(centred * inverse, load<lanes>(gamma + n), shift);
      } else {
        return multiply_add(centred, inverse, shift);
      }
    };
    const std::int32_t whole = rows.units / Architecture.lanes * Architecture.lanes;
    for (std::int32_t n = 0; n < whole; n += Architecture.lanes) {
      store(written + n, normalized(n));
    }
    if (whole < rows.units) {
      store(written + whole, first_lanes(normalized(whole), rows.units - whole));
    }
  }
}

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta of the rows in `mine`, mean and
/// variance (that of the population) being those of each row; without the mean, by the mean square.
///   x, y         [rows][row_stride(units)]
///   gamma, beta  [row_stride(units)], where the form has them
template <normalization_form Form, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void normalize_rows(const float* __restrict x, const float* __restrict gamma,
                                      const float* __restrict beta, float epsilon,
                                      const normalized_rows& rows, const index_range& mine,
                                      float* __restrict y, const row_moments& kept) noexcept {
  blocks_of(mine.end - mine.begin, rows_in_turn,
            [&](const index_range& block) IPU_DSL_ALWAYS_INLINE_LAMBDA {
              const index_range some = {mine.begin + block.begin, mine.begin + block.end};
              moments_of_rows<Form, Architecture>(x, epsilon, rows, some, kept);
              write_normalized<Form, Architecture>(x, gamma, beta, rows, some, y, kept);
            });
}

/// The gradient of x, of the rows in `mine` (Ba, Kiros and Hinton 2016): with g = d * gamma and n
/// what was normalised, inverse * (g - mean of g - n * mean of g * n); without the mean of g where
/// none was taken off.
///   d, x, dx  [rows][row_stride(units)]
template <normalization_form Form, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void normalized_rows_gradient(const float* __restrict d,
                                                const float* __restrict x,
                                                const float* __restrict gamma,
                                                const normalized_rows& rows,
                                                const index_range& mine, const row_moments& by,
                                                float* __restrict dx) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = rows.stride(Architecture);
  const auto units = static_cast<float>(rows.units);
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * stride;
    const std::ptrdiff_t at = rows.kept_at(row, Architecture);
    const lanes mean(by.mean_at<Form.centers>(at));
    const lanes inverse(by.inverse[at]);
    // d * gamma + more, in one rounding.
    const auto scaled = [&](std::int32_t n, const lanes& more) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const lanes given = load<lanes>(d + first + n);
      if constexpr (Form.scales) {
        return multiply_add(given, load<lanes>(gamma + n), more);
      } else {
        return given + more;
      }
    };
    const auto normal = [&](std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      return (load<lanes>(x + first + n) - mean) * inverse;
    };
    // The gradient is zero in the padding.
    chain_sums<Architecture> sum;
    chain_sums<Architecture> product;
    for_chain_vectors<Architecture>(
        stride, [&](std::int32_t n, std::int32_t part) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          if constexpr (Form.centers) {
            sum.sums[part] = scaled(n, sum.sums[part]);
          }
          product.sums[part] = multiply_add(scaled(n, lanes(0.0F)), normal(n), product.sums[part]);
        });
    const lanes mean_slope(Form.centers ? -divide(sum.total(), units) : 0.0F);
    const lanes along(-divide(product.total(), units));
    const auto slopes = [&](std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      return multiply_add(normal(n), along, scaled(n, mean_slope)) * inverse;
    };
    const std::int32_t whole = rows.units / Architecture.lanes * Architecture.lanes;
    for (std::int32_t n = 0; n < whole; n += Architecture.lanes) {
      store(dx + first + n, slopes(n));
    }
    if (whole < rows.units) {
      store(dx + first + whole, first_lanes(slopes(whole), rows.units - whole));
    }
  }
}

/// Where the gradients of gamma and beta are added up.
struct normalization_sums {
  float* gamma;  ///< [row_stride(units)], where there is one
  float* beta;
  bool continues;  ///< from what is there; otherwise from zero
};

/// `Vectors` vectors of both, from element `n` on: chains over `count` rows in ascending order.
template <normalization_form Form, int Vectors, layout::architecture Architecture>
[[gnu::noinline]] void normalization_sums_block(const float* __restrict d,
                                                const float* __restrict x,
                                                const normalized_rows& rows, std::int32_t count,
                                                const row_moments& by, std::int32_t n,
                                                const normalization_sums& to) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = rows.stride(Architecture);
  lanes gamma[std::size_t{Vectors}];
  lanes beta[std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    const std::int32_t at = n + v * Architecture.lanes;
    gamma[v] = Form.scales && to.continues ? load<lanes>(to.gamma + at) : lanes(0.0F);
    beta[v] = Form.shifts && to.continues ? load<lanes>(to.beta + at) : lanes(0.0F);
  }
  for (std::int32_t row = 0; row < count; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * stride + n;
    const std::ptrdiff_t at = rows.kept_at(row, Architecture);
    const lanes mean(by.mean_at<Form.centers>(at));
    const lanes inverse(by.inverse[at]);
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      const std::ptrdiff_t here = first + v * Architecture.lanes;
      const lanes given = load<lanes>(d + here);
      if constexpr (Form.scales) {
        gamma[v] = multiply_add(given, (load<lanes>(x + here) - mean) * inverse, gamma[v]);
      }
      if constexpr (Form.shifts) {
        beta[v] = beta[v] + given;
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    const std::int32_t at = n + v * Architecture.lanes;
    if constexpr (Form.scales) {
      store(to.gamma + at, gamma[v]);
    }
    if constexpr (Form.shifts) {
      store(to.beta + at, beta[v]);
    }
  }
}

/// The gradients of gamma, the sum of d * n, and of beta, that of d, for a grain of the vectors.
///   d, x  [count][row_stride(units)]
template <normalization_form Form, layout::architecture Architecture = layout::native>
void normalization_weight_gradient(const float* __restrict d, const float* __restrict x,
                                   const normalized_rows& rows, std::int32_t count,
                                   const row_moments& by, const normalization_sums& to,
                                   const grain& part) noexcept {
  constexpr int block = 4;
  const index_range mine = range_of(rows.stride(Architecture) / Architecture.lanes, part);
  std::int32_t next = mine.begin;
  for (; next + block <= mine.end; next += block) {
    normalization_sums_block<Form, block, Architecture>(d, x, rows, count, by,
                                                        next * Architecture.lanes, to);
  }
  for (; next < mine.end; ++next) {
    normalization_sums_block<Form, 1, Architecture>(d, x, rows, count, by,
                                                    next * Architecture.lanes, to);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
