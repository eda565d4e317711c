// SPDX-License-Identifier: MIT
// Statistics of the channels of a batch, and what is normalised by them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A batch of samples [positions][channels], each a row that is padded to whole vectors.
struct channel_rows {
  std::int32_t batch;
  std::int32_t positions;
  std::int32_t channels;

  constexpr std::int32_t elements() const { return positions * channels; }

  constexpr std::int32_t stride() const { return layout::row_stride(elements()); }
};

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

/// Channels whose sums stand beside each other while all rows pass by.
inline constexpr std::int32_t channel_block = 64;

/// Calls `visit(first channel, channels)` for each block.
template <typename Visit>
void for_channel_blocks(std::int32_t channels, const Visit& visit) {
  for (std::int32_t first = 0; first < channels; first += channel_block) {
    visit(first, (std::min)(channel_block, channels - first));
  }
}

/// Calls `visit(index of the first channel)` for each position of the first `samples` samples, in
/// ascending order.
template <typename Visit>
void for_positions(const channel_rows& rows, std::int32_t samples, const Visit& visit) {
  for (std::int32_t sample = 0; sample < samples; ++sample) {
    const std::ptrdiff_t row = std::ptrdiff_t{sample} * rows.stride();
    for (std::int32_t position = 0; position < rows.positions; ++position) {
      visit(row + std::ptrdiff_t{position} * rows.channels);
    }
  }
}

/// How many elements of a channel the first `valid` samples have; 1 for none, to divide by.
inline double elements_of_channel(const channel_rows& rows, std::int32_t valid) {
  return (std::max)(1.0, static_cast<double>(valid) * static_cast<double>(rows.positions));
}

/// Mean and variance (that of the population) of every channel over the first `valid` samples. Sums
/// are chains in float64, in ascending order of samples and positions; their terms are exact, so
/// that it does not matter whether a compiler fuses the multiply-adds.
///   x  [batch][stride], mean, variance  [channels]
inline void channel_moments(const float* __restrict x, const channel_rows& rows, std::int32_t valid,
                            float* __restrict mean, float* __restrict variance) noexcept {
  const double count = elements_of_channel(rows, valid);
  for_channel_blocks(rows.channels, [&](std::int32_t first, std::int32_t width) {
    double sums[channel_block] = {};
    for_positions(rows, valid, [&](std::ptrdiff_t at) {
      for (std::int32_t c = 0; c < width; ++c) {
        sums[c] += static_cast<double>(x[at + first + c]);
      }
    });
    double squares[channel_block] = {};
    for (std::int32_t c = 0; c < width; ++c) {
      mean[first + c] = static_cast<float>(sums[c] / count);
    }
    for_positions(rows, valid, [&](std::ptrdiff_t at) {
      for (std::int32_t c = 0; c < width; ++c) {
        const double centred = static_cast<double>(x[at + first + c] - mean[first + c]);
        squares[c] += centred * centred;
      }
    });
    for (std::int32_t c = 0; c < width; ++c) {
      variance[first + c] = static_cast<float>(squares[c] / count);
    }
  });
}

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta of all samples; gamma and beta may be
/// null, for 1 and 0.
///   x, y  [batch][stride], gamma, beta  [channels]
inline void normalize_channels(const float* __restrict x, const channel_rows& rows,
                               const channel_statistics& by, const float* __restrict gamma,
                               const float* __restrict beta, float* __restrict y) noexcept {
  for_channel_blocks(rows.channels, [&](std::int32_t first, std::int32_t width) {
    float scale[channel_block];
    float shift[channel_block];
    for (std::int32_t c = 0; c < width; ++c) {
      const auto inverse = static_cast<float>(by.inverse_deviation(first + c));
      scale[c] = gamma == nullptr ? inverse : inverse * gamma[first + c];
      shift[c] = beta == nullptr ? 0.0F : beta[first + c];
    }
    for_positions(rows, rows.batch, [&](std::ptrdiff_t at) {
      for (std::int32_t c = 0; c < width; ++c) {
        const std::ptrdiff_t here = at + first + c;
        y[here] = multiply_add(x[here] - by.mean[first + c], scale[c], shift[c]);
      }
    });
  });
  for (std::int32_t sample = 0; sample < rows.batch; ++sample) {
    clear_padding(y + std::ptrdiff_t{sample} * rows.stride(), rows.elements(), rows.stride());
  }
}

/// The gradients of beta and gamma that a batch has: the sums of d and of d times what was
/// normalised, over the first `valid` samples, as chains in float64.
///   x, d  [batch][stride], beta, gamma  [channels]
inline void channel_gradients(const float* __restrict d, const float* __restrict x,
                              const channel_rows& rows, std::int32_t valid,
                              const channel_statistics& by, float* __restrict beta,
                              float* __restrict gamma) noexcept {
  for_channel_blocks(rows.channels, [&](std::int32_t first, std::int32_t width) {
    double sums[channel_block] = {};
    double products[channel_block] = {};
    for_positions(rows, valid, [&](std::ptrdiff_t at) {
      for (std::int32_t c = 0; c < width; ++c) {
        const std::ptrdiff_t here = at + first + c;
        const double centred = static_cast<double>(x[here] - by.mean[first + c]);
        sums[c] += static_cast<double>(d[here]);
        products[c] += static_cast<double>(d[here]) * centred;
      }
    });
    for (std::int32_t c = 0; c < width; ++c) {
      beta[first + c] = static_cast<float>(sums[c]);
      gamma[first + c] = static_cast<float>(products[c] * by.inverse_deviation(first + c));
    }
  });
}

/// The gradient of x where mean and variance are those of the first `valid` samples (Ioffe and
/// Szegedy 2015): gamma / deviation * (d - mean of d - normalised x * mean of d * normalised x);
/// zero for the other samples.
///   sums, products  what `channel_gradients` wrote;  gamma may be null, for 1
inline void normalized_input_gradient(const float* __restrict d, const float* __restrict x,
                                      const channel_rows& rows, std::int32_t valid,
                                      const channel_statistics& by, const float* __restrict gamma,
                                      const float* __restrict sums,
                                      const float* __restrict products,
                                      float* __restrict gradient) noexcept {
  const double count = elements_of_channel(rows, valid);
  for_channel_blocks(rows.channels, [&](std::int32_t first, std::int32_t width) {
    float scale[channel_block];
    float mean_of_d[channel_block];
    float slope[channel_block];
    for (std::int32_t c = 0; c < width; ++c) {
      const double inverse = by.inverse_deviation(first + c);
      const double factor = gamma == nullptr ? 1.0 : static_cast<double>(gamma[first + c]);
      scale[c] = static_cast<float>(inverse * factor);
      mean_of_d[c] = static_cast<float>(static_cast<double>(sums[first + c]) / count);
      slope[c] = -static_cast<float>(static_cast<double>(products[first + c]) * inverse / count);
    }
    for_positions(rows, valid, [&](std::ptrdiff_t at) {
      for (std::int32_t c = 0; c < width; ++c) {
        const std::ptrdiff_t here = at + first + c;
        const float centred = x[here] - by.mean[first + c];
        gradient[here] = multiply_add(centred, slope[c], d[here] - mean_of_d[c]) * scale[c];
      }
    });
  });
  for (std::int32_t sample = 0; sample < valid; ++sample) {
    clear_padding(gradient + std::ptrdiff_t{sample} * rows.stride(), rows.elements(),
                  rows.stride());
  }
  clear_rows(gradient, valid, rows.batch, rows.stride());
}

/// The gradient of x where mean and variance do not depend on it: gamma / deviation * d of the
/// first `valid` samples; zero for the others.
///   gamma may be null, for 1
inline void scaled_input_gradient(const float* __restrict d, const channel_rows& rows,
                                  std::int32_t valid, const channel_statistics& by,
                                  const float* __restrict gamma,
                                  float* __restrict gradient) noexcept {
  for_channel_blocks(rows.channels, [&](std::int32_t first, std::int32_t width) {
    float scale[channel_block];
    for (std::int32_t c = 0; c < width; ++c) {
      const auto inverse = static_cast<float>(by.inverse_deviation(first + c));
      scale[c] = gamma == nullptr ? inverse : inverse * gamma[first + c];
    }
    for_positions(rows, valid, [&](std::ptrdiff_t at) {
      for (std::int32_t c = 0; c < width; ++c) {
        const std::ptrdiff_t here = at + first + c;
        gradient[here] = d[here] * scale[c];
      }
    });
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
