// SPDX-License-Identifier: MIT
// Numbers for tests of training, of no library: a small linear congruential generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

/// `count` floats in [-range, range), a function of `seed`. The generator is Knuth's MMIX one, of
/// which the upper 24 bits are used.
inline std::vector<float> numbers(std::size_t count, std::uint64_t seed, float range) {
  std::vector<float> made(count);
  std::uint64_t state = seed * 2654435769U + 1;
  for (float& value : made) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = range * (static_cast<float>(state >> 40) * 0x1p-23F - 1.0F);
  }
  return made;
}

/// `count` labels in [0, classes), a function of `seed`.
inline std::vector<std::int32_t> labels(std::size_t count, std::uint64_t seed, int classes) {
  std::vector<std::int32_t> made;
  for (const float value : numbers(count, seed, 1.0F)) {
    const float unit = 0.5F * (value + 1.0F);
    made.push_back(static_cast<std::int32_t>(unit * static_cast<float>(classes)));
  }
  return made;
}

}  // namespace reference
