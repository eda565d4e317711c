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

/// How many of the runs say what sums are taken around: one of sixteen, at most sixteen. Of N
/// numbers an outlier among so many R moves that by so little that it costs the variance N / R^2
/// times what rounding costs.
constexpr std::int32_t runs_of_origin(std::int32_t runs) {
  return (std::min)((std::max)(runs / 16, 1), 16);
}

/// `channel_moments` of the channels of a group of blocks.
template <std::int32_t Width, layout::architecture Architecture>
void moments_of_group(const float* x, const channel_rows& rows, std::int32_t valid,
                      std::int32_t blocks, float* mean, float* variance) noexcept {
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
    mean[c] = static_cast<float>(static_cast<double>(origin[c]) + off);
    // In one rounding on every compiler and processor.
    const double around_mean = __builtin_fma(-off, off, of_squares[c] / count);
    variance[c] = static_cast<float>((std::max)(0.0, around_mean));
  }
}

/// Mean and variance (that of the population) of every channel over the first `valid` samples:
/// both by what its numbers have beside the mean of the first of them, so that neither a channel
/// far from zero nor one whose first number is far from the others loses anything. The variance is
/// the mean square of that, less the square of its mean. Sums are those of `channel_sums`.
///   x  [batch][stride], mean, variance  [channels]
template <layout::architecture Architecture = layout::native>
void channel_moments(const float* x, const channel_rows& rows, std::int32_t valid, float* mean,
                     float* variance) noexcept {
  for_channel_groups<Architecture>(
      rows.channels, [&]<std::int32_t Width>(std::int32_t first, std::int32_t blocks) {
        moments_of_group<Width, Architecture>(x + first, rows, valid, blocks, mean + first,
                                              variance + first);
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
