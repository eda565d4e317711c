// SPDX-License-Identifier: MIT
// Mean and variance of the channels of a batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ipu_dsl/kernels/batch_normalization_channels.hpp>
#include <ipu_dsl/kernels/channel_sums.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The sums over the first `runs` runs of what the numbers of a group's channels have beside
/// `origin` [blocks * Width], and of its square.
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void sum_moments(const float* __restrict x, const channel_rows& rows,
                                   std::int32_t runs, std::int32_t blocks, const float* origin,
                                   channel_sums<Width, Architecture>* sums) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  using piece = typename numbers::piece;
  for_runs(rows, runs, [&](std::ptrdiff_t at, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    for (std::int32_t block = 0; block < blocks; ++block) {
      const numbers origins(origin + block * Width);
      sums[block].add_run(at + block * Width, rows.channels, count,
                          [&](std::int32_t i, std::ptrdiff_t here, piece& sum, piece& square)
                              IPU_DSL_ALWAYS_INLINE_LAMBDA {
                                const piece less = load<piece>(x + here) - origins[i];
                                sum += less;
                                square = multiply_add(less, less, square);
                              });
    }
  });
}

/// How many of the runs say what sums are taken around: one of 32, at most sixteen. Of N
/// numbers an outlier among so many R moves that by so little that it costs the variance N / R^2
/// times what rounding costs.
constexpr std::int32_t runs_of_origin(std::int32_t runs) {
  return (std::min)((std::max)(runs / 32, 1), 16);
}

/// `moments_of_blocks` of the channels of a group, of one block of samples.
template <std::int32_t Width, layout::architecture Architecture>
void moments_of_group(const float* x, const channel_rows& rows, std::int32_t valid,
                      std::int32_t blocks, channel_pair* moments) noexcept {
  constexpr auto most_channels = std::size_t{most_blocks} * Width;
  const std::int32_t channels = blocks * Width;
  float origin[most_channels] = {};
  double of_sums[most_channels];
  double of_squares[most_channels];
  const auto sum = [&](std::int32_t runs) {
    channel_sums<Width, Architecture> sums[std::size_t{most_blocks}];
    sum_moments<Width, Architecture>(x, rows, runs, blocks, origin, sums);
    for (std::int32_t block = 0; block < blocks; ++block) {
      sums[block].tell(of_sums + block * Width, of_squares + block * Width);
    }
  };
  const std::int32_t runs = runs_of_samples(rows, valid);
  if (valid > 0) {
    std::memcpy(origin, x, static_cast<std::size_t>(channels) * sizeof(float));
    sum(runs_of_origin(runs));
    const double count = positions_of_runs(rows, runs_of_origin(runs));
    for (std::int32_t c = 0; c < channels; ++c) {
      origin[c] = static_cast<float>(static_cast<double>(origin[c]) + of_sums[c] / count);
    }
  }
  sum(runs);
  const double count = elements_of_channel(rows, valid);
  for (std::int32_t c = 0; c < channels; ++c) {
    const double off = of_sums[c] / count;
    // In one rounding on every compiler and processor.
    const double around_mean = __builtin_fma(-off * count, off, of_squares[c]);
    moments[c] = {static_cast<double>(origin[c]) + off, (std::max)(0.0, around_mean)};
  }
}

/// For each of the blocks of samples of a batch, or a grain of them, the mean of every channel over
/// those among the first `valid` and the sum of squares around it: both by what its numbers have
/// beside the mean of the first of them, so that neither a channel far from zero nor one whose
/// first number is far from the others loses anything. The sum of squares is that around this
/// origin, less what lies between it and the mean. Sums are those of `channel_sums`.
///   x  [batch][stride], moments  [blocks][channels]
template <layout::architecture Architecture = layout::native>
void moments_of_blocks(const float* x, const channel_rows& rows, std::int32_t valid,
                       std::int32_t blocks, channel_pair* moments,
                       const grain& part = {}) noexcept {
  const index_range mine = range_of(blocks, part);
  for (std::int32_t block = mine.begin; block < mine.end; ++block) {
    const sample_block of = block_of_samples(rows, valid, blocks, block);
    channel_pair* const written = moments + std::ptrdiff_t{block} * rows.channels;
    for_channel_groups<Architecture>(
        rows.channels, [&]<std::int32_t Width>(std::int32_t first, std::int32_t groups) {
          moments_of_group<Width, Architecture>(x + of.first + first, of.rows, of.valid, groups,
                                                written + first);
        });
  }
}

/// Mean and variance (that of the population) of every channel, from those of the blocks, one after
/// the other (Chan, Golub and LeVeque 1979): the sum of squares around the mean of all is that of
/// each block around its own and what lies between the two, once for each number.
///   moments  [blocks][channels], mean, variance  [channels]
inline void tell_moments(const channel_pair* moments, const channel_rows& rows, std::int32_t valid,
                         std::int32_t blocks, float* mean, float* variance) noexcept {
  const double count = elements_of_channel(rows, valid);
  const auto count_of = [&](std::int32_t block) {
    const sample_block of = block_of_samples(rows, valid, blocks, block);
    return static_cast<double>(of.valid) * static_cast<double>(rows.positions);
  };
  for (std::int32_t c = 0; c < rows.channels; ++c) {
    double sum = 0.0;
    for (std::int32_t block = 0; block < blocks; ++block) {
      sum = __builtin_fma(count_of(block), moments[block * rows.channels + c].first, sum);
    }
    const double of_all = sum / count;
    double squares = 0.0;
    for (std::int32_t block = 0; block < blocks; ++block) {
      const channel_pair& of_block = moments[block * rows.channels + c];
      const double between = of_block.first - of_all;
      squares = __builtin_fma(count_of(block) * between, between, squares + of_block.second);
    }
    mean[c] = static_cast<float>(of_all);
    variance[c] = static_cast<float>(squares / count);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
