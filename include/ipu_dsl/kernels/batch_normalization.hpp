// SPDX-License-Identifier: MIT
// What is normalised by the statistics of the channels of a batch, and its gradients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/batch_normalization_channels.hpp>
#include <ipu_dsl/kernels/channel_sums.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What the elements of each channel are normalised by: (x - mean) / sqrt(variance + epsilon).
struct channel_statistics {
  const float* mean;
  const float* variance;
  float epsilon;

  double inverse_deviation(std::int32_t channel) const {
    const double around = static_cast<double>(variance[channel]) + static_cast<double>(epsilon);
    return 1.0 / __builtin_sqrt(around);
  }

  /// Those of the channels from this one on.
  channel_statistics from(std::int32_t channel) const {
    return {mean + channel, variance + channel, epsilon};
  }
};

/// `normalize_channels` of the channels of a group of blocks, by scale and shift [blocks * Width].
template <std::int32_t Width, activation_kind Kind, layout::architecture Architecture>
[[gnu::noinline]] void normalize_group(const float* x, const channel_rows& rows,
                                       const index_range& samples, std::int32_t blocks,
                                       const float* mean, const float* scale, const float* shift,
                                       float* y) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  using piece = typename numbers::piece;
  for_blocks_of_stretches<Width>(
      rows, samples, blocks,
      [&](std::ptrdiff_t at, std::int32_t count, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const numbers means(mean + first);
        const numbers scales(scale + first);
        const numbers shifts(shift + first);
        for_pieces<numbers>(at, rows.channels, count,
                            [&](std::int32_t i, std::ptrdiff_t here) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                              const piece centred = load<piece>(x + here) - means[i];
                              const piece made = multiply_add(centred, scales[i], shifts[i]);
                              store(y + here, activate<Kind>(made, 0.0F));
                            });
      });
}

/// y = activation((x - mean) / sqrt(variance + epsilon) * gamma + beta) of all samples, or of a
/// grain of them; gamma and beta may be null, for 1 and 0; `y` may be `x`.
///   x, y  [batch][stride], gamma, beta  [channels]
template <activation_kind Kind = activation_kind::linear,
          layout::architecture Architecture = layout::native>
void normalize_channels(const float* x, const channel_rows& rows, const channel_statistics& by,
                        const float* gamma, const float* beta, float* y,
                        const grain& part = {}) noexcept {
  const index_range mine = range_of(rows.batch, part);
  for_channel_groups<Architecture>(
      rows.channels, [&]<std::int32_t Width>(std::int32_t first, std::int32_t blocks) {
        float scale[std::size_t{most_blocks} * Width];
        float shift[std::size_t{most_blocks} * Width];
        for (std::int32_t c = 0; c < blocks * Width; ++c) {
          const auto inverse = static_cast<float>(by.inverse_deviation(first + c));
          scale[c] = gamma == nullptr ? inverse : inverse * gamma[first + c];
          shift[c] = beta == nullptr ? 0.0F : beta[first + c];
        }
        normalize_group<Width, Kind, Architecture>(x + first, rows, mine, blocks, by.mean + first,
                                                   scale, shift, y + first);
      });
  for (std::int32_t sample = mine.begin; sample < mine.end; ++sample) {
    clear_padding(y + std::ptrdiff_t{sample} * rows.stride(), rows.elements(), rows.stride());
  }
}

/// `gradients_of_blocks` of the channels of a group, of one block of samples.
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void gradients_of_group(const float* __restrict d, const float* __restrict x,
                                          const channel_rows& rows, std::int32_t valid,
                                          std::int32_t blocks, const float* mean,
                                          channel_pair* gradients) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  using piece = typename numbers::piece;
  channel_sums<Width, Architecture> sums[std::size_t{most_blocks}];
  for_runs(rows, runs_of_samples(rows, valid),
           [&](std::ptrdiff_t at, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
             for (std::int32_t block = 0; block < blocks; ++block) {
               const numbers means(mean + block * Width);
               sums[block].add_run(
                   at + block * Width, rows.channels, count,
                   [&](std::int32_t i, std::ptrdiff_t here, piece& sum, piece& product)
                       IPU_DSL_ALWAYS_INLINE_LAMBDA {
                         const piece slope = load<piece>(d + here);
                         sum += slope;
                         product = multiply_add(slope, load<piece>(x + here) - means[i], product);
                       });
             }
           });
  double of_d[std::size_t{Width}];
  double of_products[std::size_t{Width}];
  for (std::int32_t block = 0; block < blocks; ++block) {
    sums[block].tell(of_d, of_products);
    for (std::int32_t i = 0; i < Width; ++i) {
      gradients[block * Width + i] = {of_d[i], of_products[i]};
    }
  }
}

/// For each of the blocks of samples of a batch, or a grain of them, the sums of d and of d times
/// x - mean over those among the first `valid`, as `channel_sums`.
///   x, d  [batch][stride], mean  [channels], gradients  [blocks][channels]
template <layout::architecture Architecture = layout::native>
void gradients_of_blocks(const float* d, const float* x, const channel_rows& rows,
                         std::int32_t valid, std::int32_t blocks, const float* mean,
                         channel_pair* gradients, const grain& part = {}) noexcept {
  const index_range mine = range_of(blocks, part);
  for (std::int32_t block = mine.begin; block < mine.end; ++block) {
    const sample_block of = block_of_samples(rows, valid, blocks, block);
    channel_pair* const written = gradients + std::ptrdiff_t{block} * rows.channels;
    for_channel_groups<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first,
                                                                            std::int32_t groups) {
      gradients_of_group<Width, Architecture>(d + of.first + first, x + of.first + first, of.rows,
                                              of.valid, groups, mean + first, written + first);
    });
  }
}

/// The gradients of beta and gamma that a batch has, the sums of d and of d times what was
/// normalised, from those of the blocks, one after the other.
///   gradients  [blocks][channels], beta, gamma  [channels]
inline void tell_gradients(const channel_pair* gradients, std::int32_t channels,
                           std::int32_t blocks, const channel_statistics& by, float* beta,
                           float* gamma) noexcept {
  for (std::int32_t c = 0; c < channels; ++c) {
    channel_pair sum = {0.0, 0.0};
    for (std::int32_t block = 0; block < blocks; ++block) {
      sum.first += gradients[block * channels + c].first;
      sum.second += gradients[block * channels + c].second;
    }
    beta[c] = static_cast<float>(sum.first);
    gamma[c] = static_cast<float>(sum.second * by.inverse_deviation(c));
  }
}

/// Zeros behind the elements of those of some samples that come before `valid`, and all over the
/// others.
inline void clear_unused(float* gradient, const channel_rows& rows, std::int32_t valid,
                         const index_range& samples) noexcept {
  for (std::int32_t sample = samples.begin; sample < valid; ++sample) {
    clear_padding(gradient + std::ptrdiff_t{sample} * rows.stride(), rows.elements(),
                  rows.stride());
  }
  clear_rows(gradient, (std::max)(samples.begin, valid), samples.end, rows.stride());
}

/// What the gradient of a group's channels is computed by, [blocks * Width] each.
struct channel_slopes {
  const float* mean;
  const float* mean_of_d;
  const float* slope;
  const float* scale;
};

/// `normalized_input_gradient` of the channels of a group of blocks.
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void gradient_of_group(const float* d, const float* __restrict x,
                                         const channel_rows& rows, const index_range& samples,
                                         std::int32_t blocks, const channel_slopes& by,
                                         float* gradient) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  using piece = typename numbers::piece;
  for_blocks_of_stretches<Width>(
      rows, samples, blocks,
      [&](std::ptrdiff_t at, std::int32_t count, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const numbers means(by.mean + first);
        const numbers means_of_d(by.mean_of_d + first);
        const numbers slopes(by.slope + first);
        const numbers scales(by.scale + first);
        for_pieces<numbers>(at, rows.channels, count,
                            [&](std::int32_t i, std::ptrdiff_t here) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                              const piece centred = load<piece>(x + here) - means[i];
                              const piece around = load<piece>(d + here) - means_of_d[i];
                              store(gradient + here,
                                    multiply_add(centred, slopes[i], around) * scales[i]);
                            });
      });
}

/// The gradient of x where mean and variance are those of the first `valid` samples (Ioffe and
/// Szegedy 2015): gamma / deviation * (d - mean of d - normalised x * mean of d * normalised x);
/// zero for the other samples; or a grain of it: of some samples. `gradient` may be `d`.
///   sums, products  what `tell_gradients` wrote;  gamma may be null, for 1
template <layout::architecture Architecture = layout::native>
void normalized_input_gradient(const float* d, const float* x, const channel_rows& rows,
                               std::int32_t valid, const channel_statistics& by, const float* gamma,
                               const float* sums, const float* products, float* gradient,
                               const grain& part = {}) noexcept {
  const double count = elements_of_channel(rows, valid);
  const index_range mine = valid_of_grain(rows, valid, part);
  for_channel_groups<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first,
                                                                          std::int32_t blocks) {
    float scale[std::size_t{most_blocks} * Width];
    float mean_of_d[std::size_t{most_blocks} * Width];
    float slope[std::size_t{most_blocks} * Width];
    for (std::int32_t c = 0; c < blocks * Width; ++c) {
      const double inverse = by.inverse_deviation(first + c);
      const double factor = gamma == nullptr ? 1.0 : static_cast<double>(gamma[first + c]);
      scale[c] = static_cast<float>(inverse * factor);
      mean_of_d[c] = static_cast<float>(static_cast<double>(sums[first + c]) / count);
      slope[c] = -static_cast<float>(static_cast<double>(products[first + c]) * inverse / count);
    }
    gradient_of_group<Width, Architecture>(d + first, x + first, rows, mine, blocks,
                                           {by.mean + first, mean_of_d, slope, scale},
                                           gradient + first);
  });
  clear_unused(gradient, rows, mine.end, range_of(rows.batch, part));
}

/// `scaled_input_gradient` of the channels of a group of blocks, by scale [blocks * Width].
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void scale_group(const float* d, const channel_rows& rows,
                                   const index_range& samples, std::int32_t blocks,
                                   const float* scale, float* gradient) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  for_blocks_of_stretches<Width>(
      rows, samples, blocks,
      [&](std::ptrdiff_t at, std::int32_t count, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const numbers scales(scale + first);
        for_pieces<numbers>(at, rows.channels, count,
                            [&](std::int32_t i, std::ptrdiff_t here) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                              store(gradient + here,
                                    load<typename numbers::piece>(d + here) * scales[i]);
                            });
      });
}

/// The gradient of x where mean and variance do not depend on it: gamma / deviation * d of the
/// first `valid` samples; zero for the others; or a grain of it: of some samples. `gradient` may be
/// `d`.
///   gamma may be null, for 1
template <layout::architecture Architecture = layout::native>
void scaled_input_gradient(const float* d, const channel_rows& rows, std::int32_t valid,
                           const channel_statistics& by, const float* gamma, float* gradient,
                           const grain& part = {}) noexcept {
  const index_range mine = valid_of_grain(rows, valid, part);
  for_channel_groups<Architecture>(
      rows.channels, [&]<std::int32_t Width>(std::int32_t first, std::int32_t blocks) {
        float scale[std::size_t{most_blocks} * Width];
        for (std::int32_t c = 0; c < blocks * Width; ++c) {
          const auto inverse = static_cast<float>(by.inverse_deviation(first + c));
          scale[c] = gamma == nullptr ? inverse : inverse * gamma[first + c];
        }
        scale_group<Width, Architecture>(d + first, rows, mine, blocks, scale, gradient + first);
      });
  clear_unused(gradient, rows, mine.end, range_of(rows.batch, part));
}

/// average += (value - average) * rate, element by element.
inline void move_average(const float* __restrict value, std::int32_t elements, float rate,
                         float* __restrict average) noexcept {
  for (std::int32_t i = 0; i < elements; ++i) {
    average[i] = multiply_add(value[i] - average[i], rate, average[i]);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
