// SPDX-License-Identifier: MIT
// Statistics of the channels of a batch, and what is normalised by them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/batch_normalization_channels.hpp>
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
};

/// How many elements of a channel the first `valid` samples have; 1 for none, to divide by.
inline double elements_of_channel(const channel_rows& rows, std::int32_t valid) {
  return (std::max)(1.0, static_cast<double>(valid) * static_cast<double>(rows.positions));
}

/// Calls `visit(part, index, read, less)` for each part of a block's channels at each position of
/// the first `valid` samples, in ascending order: what stands there, and that less the number of
/// `origin` for its channel, rounded to float32, both in float64.
template <typename Chains, typename Visit>
IPU_DSL_ALWAYS_INLINE void for_differences(const float* __restrict x, const channel_rows& rows,
                                           std::int32_t valid, const float* origin,
                                           const Visit& visit) {
  typename Chains::floats origins[std::size_t{Chains::parts}];
  std::memcpy(origins, origin, sizeof(origins));
  // The same floats by a pointer that the compiler does not know for the same: a processor widens
  // what it loads by one operation, and what lies in a register by two.
  const float* again = x;
  asm("" : "+r"(again));
  for_positions(rows, valid, [&](std::ptrdiff_t at) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    IPU_DSL_UNROLLED
    for (std::int32_t part = 0; part < Chains::parts; ++part) {
      const std::ptrdiff_t here = at + part * Chains::step;
      typename Chains::doubles read;
      typename Chains::doubles less;
      widen(floats_at<Chains>(again + here), read);
      widen(floats_at<Chains>(x + here) - origins[part], less);
      visit(part, here, read, less);
    }
  });
}

/// `channel_moments` of the channels of a block.
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void moments_of_block(const float* __restrict x, const channel_rows& rows,
                                        std::int32_t valid, float* __restrict mean,
                                        float* __restrict variance) noexcept {
  using chains = channel_chains<Width, Architecture>;
  using doubles = typename chains::doubles;
  const double count = elements_of_channel(rows, valid);
  float first[std::size_t{Width}] = {};
  if (valid > 0) {
    std::memcpy(first, x, sizeof(first));
  }
  chains sums;
  chains squares;
  for_differences<chains>(x, rows, valid, first,
                          [&](std::int32_t part, std::ptrdiff_t, const doubles& read,
                              const doubles& less) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                            sums.sums[part] += read;
                            add_exact_product(less, less, squares.sums[part]);
                          });
  double total[std::size_t{Width}];
  double total_of_squares[std::size_t{Width}];
  sums.tell(total);
  squares.tell(total_of_squares);
  for (std::int32_t c = 0; c < Width; ++c) {
    const double middle = total[c] / count;
    const double off = middle - static_cast<double>(first[c]);
    mean[c] = static_cast<float>(middle);
    // In one rounding on every compiler and processor.
    const double around_mean = __builtin_fma(-off, off, total_of_squares[c] / count);
    variance[c] = static_cast<float>((std::max)(0.0, around_mean));
  }
}

/// Mean and variance (that of the population) of every channel over the first `valid` samples, read
/// once: the variance is the mean square around the channel's first number, less the square of what
/// lies between that and the mean. Sums are chains in float64, in ascending order of samples and
/// positions; their terms are exact, so that it does not matter whether a compiler fuses the
/// multiply-adds.
///   x  [batch][stride], mean, variance  [channels]
template <layout::architecture Architecture = layout::native>
void channel_moments(const float* x, const channel_rows& rows, std::int32_t valid, float* mean,
                     float* variance) noexcept {
  for_channel_blocks<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first) {
    moments_of_block<Width, Architecture>(x + first, rows, valid, mean + first, variance + first);
  });
}

/// `normalize_channels` of the channels of a block, by scale and shift [Width].
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void normalize_block(const float* x, const channel_rows& rows, const float* mean,
                                       const float* scale, const float* shift, float* y) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  const numbers means(mean);
  const numbers scales(scale);
  const numbers shifts(shift);
  for_positions_of_last_samples_first(
      rows, rows.batch, [&](std::ptrdiff_t at) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        IPU_DSL_UNROLLED
        for (std::int32_t i = 0; i < numbers::pieces; ++i) {
          const std::ptrdiff_t here = at + i * numbers::step;
          const auto centred = load<typename numbers::piece>(x + here) - means[i];
          store(y + here, multiply_add(centred, scales[i], shifts[i]));
        }
      });
}

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta of all samples; gamma and beta may be
/// null, for 1 and 0; `y` may be `x`.
///   x, y  [batch][stride], gamma, beta  [channels]
template <layout::architecture Architecture = layout::native>
void normalize_channels(const float* x, const channel_rows& rows, const channel_statistics& by,
                        const float* gamma, const float* beta, float* y) noexcept {
  for_channel_blocks<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first) {
    float scale[std::size_t{Width}];
    float shift[std::size_t{Width}];
    for (std::int32_t c = 0; c < Width; ++c) {
      const auto inverse = static_cast<float>(by.inverse_deviation(first + c));
      scale[c] = gamma == nullptr ? inverse : inverse * gamma[first + c];
      shift[c] = beta == nullptr ? 0.0F : beta[first + c];
    }
    normalize_block<Width, Architecture>(x + first, rows, by.mean + first, scale, shift, y + first);
  });
  for (std::int32_t sample = 0; sample < rows.batch; ++sample) {
    clear_padding(y + std::ptrdiff_t{sample} * rows.stride(), rows.elements(), rows.stride());
  }
}

/// `channel_gradients` of the channels of a block: the sums alone, in float64.
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void gradient_sums_of_block(const float* __restrict d, const float* __restrict x,
                                              const channel_rows& rows, std::int32_t valid,
                                              const float* mean, double* of_d,
                                              double* of_products) noexcept {
  using chains = channel_chains<Width, Architecture>;
  chains sums;
  chains products;
  using doubles = typename chains::doubles;
  for_differences<chains>(x, rows, valid, mean,
                          [&](std::int32_t part, std::ptrdiff_t here, const doubles&,
                              const doubles& centred) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                            doubles slope;
                            widen(floats_at<chains>(d + here), slope);
                            sums.sums[part] += slope;
                            add_exact_product(slope, centred, products.sums[part]);
                          });
  sums.tell(of_d);
  products.tell(of_products);
}

/// The gradients of beta and gamma that a batch has: the sums of d and of d times what was
/// normalised, over the first `valid` samples, as chains in float64.
///   x, d  [batch][stride], beta, gamma  [channels]
template <layout::architecture Architecture = layout::native>
void channel_gradients(const float* d, const float* x, const channel_rows& rows, std::int32_t valid,
                       const channel_statistics& by, float* beta, float* gamma) noexcept {
  for_channel_blocks<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first) {
    double sums[std::size_t{Width}];
    double products[std::size_t{Width}];
    gradient_sums_of_block<Width, Architecture>(d + first, x + first, rows, valid, by.mean + first,
                                                sums, products);
    for (std::int32_t c = 0; c < Width; ++c) {
      beta[first + c] = static_cast<float>(sums[c]);
      gamma[first + c] = static_cast<float>(products[c] * by.inverse_deviation(first + c));
    }
  });
}

/// What the gradient of a block's channels is computed by, [Width] each.
struct channel_slopes {
  const float* mean;
  const float* mean_of_d;
  const float* slope;
  const float* scale;
};

/// `normalized_input_gradient` of the channels of a block.
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void gradient_of_block(const float* d, const float* __restrict x,
                                         const channel_rows& rows, std::int32_t valid,
                                         const channel_slopes& by, float* gradient) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  const numbers means(by.mean);
  const numbers means_of_d(by.mean_of_d);
  const numbers slopes(by.slope);
  const numbers scales(by.scale);
  for_positions_of_last_samples_first(
      rows, valid, [&](std::ptrdiff_t at) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        IPU_DSL_UNROLLED
        for (std::int32_t i = 0; i < numbers::pieces; ++i) {
          const std::ptrdiff_t here = at + i * numbers::step;
          const auto centred = load<typename numbers::piece>(x + here) - means[i];
          const auto around = load<typename numbers::piece>(d + here) - means_of_d[i];
          store(gradient + here, multiply_add(centred, slopes[i], around) * scales[i]);
        }
      });
}

/// The gradient of x where mean and variance are those of the first `valid` samples (Ioffe and
/// Szegedy 2015): gamma / deviation * (d - mean of d - normalised x * mean of d * normalised x);
/// zero for the other samples. `gradient` may be `d`.
///   sums, products  what `channel_gradients` wrote;  gamma may be null, for 1
template <layout::architecture Architecture = layout::native>
void normalized_input_gradient(const float* d, const float* x, const channel_rows& rows,
                               std::int32_t valid, const channel_statistics& by, const float* gamma,
                               const float* sums, const float* products, float* gradient) noexcept {
  const double count = elements_of_channel(rows, valid);
  for_channel_blocks<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first) {
    float scale[std::size_t{Width}];
    float mean_of_d[std::size_t{Width}];
    float slope[std::size_t{Width}];
    for (std::int32_t c = 0; c < Width; ++c) {
      const double inverse = by.inverse_deviation(first + c);
      const double factor = gamma == nullptr ? 1.0 : static_cast<double>(gamma[first + c]);
      scale[c] = static_cast<float>(inverse * factor);
      mean_of_d[c] = static_cast<float>(static_cast<double>(sums[first + c]) / count);
      slope[c] = -static_cast<float>(static_cast<double>(products[first + c]) * inverse / count);
    }
    gradient_of_block<Width, Architecture>(d + first, x + first, rows, valid,
                                           {by.mean + first, mean_of_d, slope, scale},
                                           gradient + first);
  });
  for (std::int32_t sample = 0; sample < valid; ++sample) {
    clear_padding(gradient + std::ptrdiff_t{sample} * rows.stride(), rows.elements(),
                  rows.stride());
  }
  clear_rows(gradient, valid, rows.batch, rows.stride());
}

/// `scaled_input_gradient` of the channels of a block, by scale [Width].
template <std::int32_t Width, layout::architecture Architecture>
[[gnu::noinline]] void scale_block(const float* d, const channel_rows& rows, std::int32_t valid,
                                   const float* scale, float* gradient) noexcept {
  using numbers = channel_numbers<Width, Architecture>;
  const numbers scales(scale);
  for_positions_of_last_samples_first(
      rows, valid, [&](std::ptrdiff_t at) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        IPU_DSL_UNROLLED
        for (std::int32_t i = 0; i < numbers::pieces; ++i) {
          const std::ptrdiff_t here = at + i * numbers::step;
          store(gradient + here, load<typename numbers::piece>(d + here) * scales[i]);
        }
      });
}

/// The gradient of x where mean and variance do not depend on it: gamma / deviation * d of the
/// first `valid` samples; zero for the others. `gradient` may be `d`.
///   gamma may be null, for 1
template <layout::architecture Architecture = layout::native>
void scaled_input_gradient(const float* d, const channel_rows& rows, std::int32_t valid,
                           const channel_statistics& by, const float* gamma,
                           float* gradient) noexcept {
  for_channel_blocks<Architecture>(rows.channels, [&]<std::int32_t Width>(std::int32_t first) {
    float scale[std::size_t{Width}];
    for (std::int32_t c = 0; c < Width; ++c) {
      const auto inverse = static_cast<float>(by.inverse_deviation(first + c));
      scale[c] = gamma == nullptr ? inverse : inverse * gamma[first + c];
    }
    scale_block<Width, Architecture>(d + first, rows, valid, scale, gradient + first);
  });
  for (std::int32_t sample = 0; sample < valid; ++sample) {
    clear_padding(gradient + std::ptrdiff_t{sample} * rows.stride(), rows.elements(),
                  rows.stride());
  }
  clear_rows(gradient, valid, rows.batch, rows.stride());
}

/// average += (value - average) * rate, element by element.
inline void move_average(const float* __restrict value, std::int32_t elements, float rate,
                         float* __restrict average) noexcept {
  for (std::int32_t i = 0; i < elements; ++i) {
    average[i] = multiply_add(value[i] - average[i], rate, average[i]);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
