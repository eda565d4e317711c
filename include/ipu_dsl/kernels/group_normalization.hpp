// SPDX-License-Identifier: MIT
// Groups of channels of each sample normalised by their own mean and deviation, and the gradients.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A sample: `positions` rows of `channels` numbers, each padded to whole vectors.
struct grouped_channels {
  std::int32_t positions;
  std::int32_t channels;
  std::int32_t groups;

  constexpr std::int32_t stride(layout::architecture target) const {
    return layout::row_stride(channels, target);
  }

  constexpr std::int32_t width() const { return channels / groups; }

  /// Numbers that are normalised by the same mean.
  constexpr float members() const { return static_cast<float>(std::int64_t{positions} * width()); }
};

/// Of every channel a sum over the positions, in ascending order: `term(sum, element index, index
/// of the channel)` is the sum with one more term, for a vector of channels.
template <layout::architecture Architecture, typename Term>
IPU_DSL_ALWAYS_INLINE void sum_over_positions(const grouped_channels& of, float* sums,
                                              const Term& term) {
  using lanes = vector<Architecture>;
  const std::int32_t stride = of.stride(Architecture);
  for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
    lanes sum(0.0F);
    for (std::int32_t position = 0; position < of.positions; ++position) {
      sum = term(sum, std::ptrdiff_t{position} * stride + n, n);
    }
    store(sums + n, sum);
  }
}

/// Every channel's number becomes what `made` makes of the sum over its group, which is one chain
/// in ascending order of the channels; padding becomes zero.
template <layout::architecture Architecture, typename Made>
IPU_DSL_ALWAYS_INLINE void spread_over_groups(const grouped_channels& of, float* numbers,
                                              const Made& made) {
  const std::int32_t width = of.width();
  for (std::int32_t first = 0; first < of.channels; first += width) {
    float sum = 0.0F;
    for (std::int32_t c = first; c < first + width; ++c) {
      sum = sum + numbers[c];
    }
    const float value = made(sum);
    for (std::int32_t c = first; c < first + width; ++c) {
      numbers[c] = value;
    }
  }
  clear_padding(numbers, of.channels, of.stride(Architecture));
}

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta of one sample; mean and variance (that
/// of the population) are those of a group of neighbouring channels over all positions.
///   x, y           [positions][row_stride(channels)]
///   gamma, beta    [row_stride(channels)], null for 1 and 0
///   mean, inverse  [row_stride(channels)]: written, what each channel was normalised by
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void normalize_groups(const float* __restrict x, const float* __restrict gamma,
                                        const float* __restrict beta, float epsilon,
                                        const grouped_channels& of, float* __restrict y,
                                        float* __restrict mean,
                                        float* __restrict inverse) noexcept {
  using lanes = vector<Architecture>;
  const std::int32_t stride = of.stride(Architecture);
  const float members = of.members();
  sum_over_positions<Architecture>(
      of, mean,
      [&](const lanes& sum, std::ptrdiff_t at, std::int32_t)
          IPU_DSL_ALWAYS_INLINE_LAMBDA { return sum + load<lanes>(x + at); });
  spread_over_groups<Architecture>(of, mean, [&](float sum) { return divide(sum, members); });
  sum_over_positions<Architecture>(
      of, inverse,
      [&](const lanes& sum, std::ptrdiff_t at, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const lanes centred = load<lanes>(x + at) - load<lanes>(mean + n);
        return multiply_add(centred, centred, sum);
      });
  spread_over_groups<Architecture>(of, inverse, [&](float sum) {
    return divide(1.0F, square_root(divide(sum, members) + epsilon));
  });
  for (std::int32_t position = 0; position < of.positions; ++position) {
    const std::ptrdiff_t first = std::ptrdiff_t{position} * stride;
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      const lanes centred = load<lanes>(x + first + n) - load<lanes>(mean + n);
      const lanes normal = centred * load<lanes>(inverse + n);
      const lanes scale = gamma == nullptr ? lanes(1.0F) : load<lanes>(gamma + n);
      const lanes shift = beta == nullptr ? lanes(0.0F) : load<lanes>(beta + n);
      store(y + first + n, multiply_add(normal, scale, shift));
    }
    clear_padding(y + first, of.channels, stride);
  }
}

/// What one sample adds to the gradients of beta and gamma: the sums over its positions of d, and
/// of d times what was normalised.
///   sums, products  [row_stride(channels)]
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void group_gradient_sums(const float* __restrict d, const float* __restrict x,
                                           const grouped_channels& of, const float* __restrict mean,
                                           const float* __restrict inverse, float* __restrict sums,
                                           float* __restrict products) noexcept {
  using lanes = vector<Architecture>;
  sum_over_positions<Architecture>(
      of, sums,
      [&](const lanes& sum, std::ptrdiff_t at, std::int32_t)
          IPU_DSL_ALWAYS_INLINE_LAMBDA { return sum + load<lanes>(d + at); });
  sum_over_positions<Architecture>(
      of, products,
      [&](const lanes& sum, std::ptrdiff_t at, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const lanes centred = load<lanes>(x + at) - load<lanes>(mean + n);
        return multiply_add(load<lanes>(d + at), centred * load<lanes>(inverse + n), sum);
      });
}

/// The gradient of x, of one sample (Wu and He 2018): with g = d * gamma and n what was
/// normalised, inverse * (g - mean of g - n * mean of g * n), the means being those of the group.
///   d, x, dx        [positions][row_stride(channels)]
///   sums, products  what `group_gradient_sums` wrote;  gamma may be null, for 1
template <std::int32_t Channels, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void normalized_groups_gradient(
    const float* __restrict d, const float* __restrict x, const grouped_channels& of,
    const float* __restrict gamma, const float* __restrict mean, const float* __restrict inverse,
    const float* __restrict sums, const float* __restrict products, float* __restrict dx) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t stride = layout::row_stride(Channels, Architecture);
  float mean_slope[std::size_t{stride}];
  float along[std::size_t{stride}];
  for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
    const lanes scale = gamma == nullptr ? lanes(1.0F) : load<lanes>(gamma + n);
    store(mean_slope + n, load<lanes>(sums + n) * scale);
    store(along + n, load<lanes>(products + n) * scale);
  }
  const float members = of.members();
  spread_over_groups<Architecture>(of, mean_slope, [&](float sum) { return divide(sum, members); });
  spread_over_groups<Architecture>(of, along, [&](float sum) { return -divide(sum, members); });
  for (std::int32_t position = 0; position < of.positions; ++position) {
    const std::ptrdiff_t first = std::ptrdiff_t{position} * stride;
    for (std::int32_t n = 0; n < stride; n += Architecture.lanes) {
      const lanes scale = gamma == nullptr ? lanes(1.0F) : load<lanes>(gamma + n);
      const lanes deviation = load<lanes>(inverse + n);
      const lanes normal = (load<lanes>(x + first + n) - load<lanes>(mean + n)) * deviation;
      const lanes slope = multiply_add(load<lanes>(d + first + n), scale,
                                       lanes(0.0F) - load<lanes>(mean_slope + n));
      store(dx + first + n, multiply_add(normal, load<lanes>(along + n), slope) * deviation);
    }
    clear_padding(dx + first, of.channels, stride);
  }
}

/// to = (to or zero) + from[0] + from[1] + ..., rows of `elements` numbers, whole vectors.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void add_rows(const float* __restrict from, std::int32_t rows,
                                std::int32_t elements, bool continues,
                                float* __restrict to) noexcept {
  using lanes = vector<Architecture>;
  for (std::int32_t n = 0; n < elements; n += Architecture.lanes) {
    lanes sum = continues ? load<lanes>(to + n) : lanes(0.0F);
    for (std::int32_t row = 0; row < rows; ++row) {
      sum = sum + load<lanes>(from + std::ptrdiff_t{row} * elements + n);
    }
    store(to + n, sum);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
