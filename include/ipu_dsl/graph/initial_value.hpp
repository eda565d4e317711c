// SPDX-License-Identifier: MIT
// A number of a parameter before it has a value, and the random numbers that belong to it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/core/shape.hpp>

namespace ipu_dsl {

/// What an initialiser is told of a number. Its draws depend on the seed, the stream and the index
/// alone, however the parameter lies and whatever it runs on; draws of different numbers are
/// independent of each other.
struct initial_value {
  shape extents = {};        ///< of the parameter: a kernel is (inputs, units)
  std::uint64_t index = 0;   ///< which of its numbers, in the order of its shape
  std::uint64_t seed = 0;    ///< of the session, or of the initialiser
  std::uint64_t stream = 0;  ///< of the layer and the parameter

  /// The random word of this number's draw 0, 1, ... below 65536.
  constexpr std::uint32_t word(std::uint64_t draw) const {
    return random_word(seed, stream, index + (draw << 48));
  }

  /// In [0, 1), exact in float.
  constexpr float uniform(std::uint64_t draw = 0) const { return uniform_unit(word(draw)); }

  /// Of mean 0 and standard deviation 1, from draws 2 `pair` and 2 `pair` + 1 (Box and Muller
  /// 1958; the angle is drawn from half a turn, whose cosines are those of a whole one).
  [[gnu::cold]] double normal(std::uint64_t pair = 0) const {
    const double radius_word = word(2 * pair);
    const double angle_word = word(2 * pair + 1);
    const double squared = -2 * elementary::logarithm((radius_word + 1) * 0x1p-32);
    return elementary::square_root(squared) *
           elementary::cosine_of_half_turns(angle_word * 0x1p-32);
  }

  /// The same, of the first pair of draws within two standard deviations.
  [[gnu::cold]] double truncated_normal() const {
    constexpr std::uint64_t most_pairs = 64;  // One in 10^85 has none among these.
    double drawn = 0;
    for (std::uint64_t pair = 0; pair < most_pairs; ++pair) {
      drawn = normal(pair);
      if (drawn >= -2 && drawn <= 2) {
        return drawn;
      }
    }
    return 0;
  }
};

/// An initialiser of one's own: what a number starts with.
using initial_value_rule = float (*)(const initial_value& at);

/// Of an initialiser that is none of one's own.
constexpr float no_initial_value(const initial_value&) {
  return 0;
}

}  // namespace ipu_dsl
