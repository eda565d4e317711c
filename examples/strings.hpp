// SPDX-License-Identifier: MIT
// The sounds that amplifier.cpp and wavenet.cpp learn from, and how far what they play is off.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

namespace strings {

/// A string at 16 kHz, [samples]: a tone and its octave, which fade away.
inline std::vector<float> pluck(std::size_t samples, std::uint64_t seed) {
  using namespace ipu_dsl;
  const float pitch = 0.02F + 0.15F * uniform_unit(random_word(seed, 0, 0));
  const float loudness = 0.2F + 0.8F * uniform_unit(random_word(seed, 0, 1));
  std::vector<float> sound(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const auto t = static_cast<float>(i);
    const float tone = std::sin(pitch * t) + 0.5F * std::sin(2 * pitch * t + 1);
    sound[i] = loudness * std::exp(-t / 4'000) * tone;
  }
  return sound;
}

/// The energy of the difference by that of what was wanted, of equally many samples.
inline double error_to_signal(const std::vector<float>& played, const std::vector<float>& wanted) {
  double error = 0;
  double signal = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    error += std::pow(played[i] - wanted[i], 2.0);
    signal += std::pow(wanted[i], 2.0);
  }
  return error / signal;
}

}  // namespace strings
