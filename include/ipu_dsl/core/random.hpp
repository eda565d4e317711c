// SPDX-License-Identifier: MIT
// Counter-based random numbers: the value at an index depends on the seed and the index alone, so
// that schedules, workers, tiles and recomputation cannot change it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Four random words.
struct random_block {
  std::uint32_t words[4];
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
/// `stream` tells apart the uses of one seed (a parameter, a dropout node, a shuffle); `counter` is
/// the logical index within the use.
constexpr random_block philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53;
  constexpr std::uint64_t multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t key_step_0 = 0x9E3779B9;
  constexpr std::uint32_t key_step_1 = 0xBB67AE85;
  std::uint32_t key_0 = static_cast<std::uint32_t>(seed);
  std::uint32_t key_1 = static_cast<std::uint32_t>(seed >> 32);
  std::uint32_t x0 = static_cast<std::uint32_t>(counter);
  std::uint32_t x1 = static_cast<std::uint32_t>(counter >> 32);
  std::uint32_t x2 = static_cast<std::uint32_t>(stream);
  std::uint32_t x3 = static_cast<std::uint32_t>(stream >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * x0;
    const std::uint64_t product_1 = multiplier_1 * x2;
    x0 = static_cast<std::uint32_t>(product_1 >> 32) ^ x1 ^ key_0;
    x1 = static_cast<std::uint32_t>(product_1);
    x2 = static_cast<std::uint32_t>(product_0 >> 32) ^ x3 ^ key_1;
    x3 = static_cast<std::uint32_t>(product_0);
    key_0 += key_step_0;
    key_1 += key_step_1;
  }
  return {{x0, x1, x2, x3}};
}

/// The word at `index` of a stream.
constexpr std::uint32_t random_word(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return philox(seed, stream, index / 4).words[index % 4];
}

/// In [0, 1): the upper 24 bits of a word, so that every value is exact in float.
constexpr float uniform_unit(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

/// In [0, bound): multiply-shift, which favours no value by more than bound / 2^32.
constexpr std::uint32_t uniform_below(std::uint32_t word, std::uint32_t bound) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(word) * bound) >> 32);
}

}  // namespace ipu_dsl
