// SPDX-License-Identifier: MIT
// Noise whose draws are a function of seed, stream and logical index alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The words of a stream, one after the other.
class random_words {
 public:
  random_words(std::uint64_t seed, std::uint64_t stream, std::uint64_t first)
      : seed_(seed), stream_(stream), index_(first), block_(philox(seed, stream, first / 4)) {}

  std::uint32_t next() {
    const std::uint32_t word = block_.words[index_ % 4];
    ++index_;
    if (index_ % 4 == 0) {
      block_ = philox(seed_, stream_, index_ / 4);
    }
    return word;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t index_;
  random_block block_;
};

/// Of mean 0 and standard deviation 1, from two words (Box and Muller 1958; the angle is drawn from
/// half a turn, whose cosines are those of a whole one).
inline double next_normal(random_words& words) {
  const double radius_word = words.next();
  const double angle_word = words.next();
  const double squared = -2 * elementary::logarithm((radius_word + 1) * 0x1p-32);
  return elementary::square_root(squared) * elementary::cosine_of_half_turns(angle_word * 0x1p-32);
}

/// Which noise: `first_element` is the number of the first element among those of all samples of
/// the run, so that micro-batch size and recomputation cannot change it.
struct noise_place {
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint64_t first_element;
};

/// x + deviation * normal.
struct added_noise {
  static constexpr std::uint64_t words = 2;
  double deviation;

  float operator()(float x, random_words& drawn) const {
    return x + static_cast<float>(elementary::product(deviation, next_normal(drawn)));
  }
};

/// x * (1 + deviation * normal), and so a gradient.
struct multiplied_noise {
  static constexpr std::uint64_t words = 2;
  double deviation;

  explicit multiplied_noise(float rate)
      : deviation(elementary::square_root(static_cast<double>(rate) /
                                          (1.0 - static_cast<double>(rate)))) {}

  float operator()(float x, random_words& drawn) const {
    return x * static_cast<float>(1.0 + elementary::product(deviation, next_normal(drawn)));
  }
};

/// scale * x + offset for what stays, and one number for what is dropped: alpha dropout.
struct alpha_noise {
  static constexpr std::uint64_t words = 1;
  float rate;
  float scale;
  float offset;
  float dropped;

  /// Of a gradient only the scale counts.
  alpha_noise(float share, bool of_gradient) : rate(share) {
    const auto floor = -static_cast<double>(selu_floor);
    const auto part = static_cast<double>(share);
    const double variance = elementary::product(
        1.0 - part, 1.0 + elementary::product(part, elementary::product(floor, floor)));
    const double scaled = 1.0 / elementary::square_root(variance);
    const double moved = -elementary::product(elementary::product(scaled, floor), part);
    scale = static_cast<float>(scaled);
    offset = of_gradient ? 0.0F : static_cast<float>(moved);
    dropped = of_gradient ? 0.0F : static_cast<float>(elementary::product(scaled, floor) + moved);
  }

  float operator()(float x, random_words& drawn) const {
    return uniform_unit(drawn.next()) < rate ? dropped : multiply_add(scale, x, offset);
  }
};

/// y = rule(x) for every element, both [rows][row_stride(units)]; `y` may be `x`.
template <typename Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void disturb(const float* x, float* y, std::int32_t rows, std::int32_t units,
                               const Rule& rule, const noise_place& place) noexcept {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  random_words words(place.seed, place.stream, place.first_element * Rule::words);
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * stride;
    for (std::ptrdiff_t n = first; n < first + units; ++n) {
      y[n] = rule(x[n], words);
    }
    clear_padding(y + first, units, stride);
  }
}

/// y = x / (1 - rate) in the channels of a sample that stay, otherwise zero, at all of its
/// positions: [samples][positions][row_stride(channels)]. `first_element` counts channels.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void drop_channels(const float* x, float* y, std::int32_t samples,
                                     std::int32_t positions, std::int32_t channels, float rate,
                                     const noise_place& place) noexcept {
  const std::int32_t stride = layout::row_stride(channels, Architecture);
  const float kept = 1.0F / (1.0F - rate);
  random_words words(place.seed, place.stream, place.first_element);
  for (std::int32_t sample = 0; sample < samples; ++sample) {
    const std::ptrdiff_t first = std::ptrdiff_t{sample} * positions * stride;
    for (std::int32_t n = 0; n < stride; ++n) {
      const bool stays = n < channels && !(uniform_unit(words.next()) < rate);
      for (std::int32_t position = 0; position < positions; ++position) {
        const std::ptrdiff_t at = first + std::ptrdiff_t{position} * stride + n;
        y[at] = stays ? x[at] * kept : 0.0F;
      }
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
