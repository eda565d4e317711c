// SPDX-License-Identifier: MIT
// The hand that writes a digit: its size, slant, shift and ink, drawn at random.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/data/digit_drawing.hpp>
#include <ipu_dsl/data/digit_strokes.hpp>

namespace ipu_dsl::pen {

/// The random numbers of one digit, one after the other.
class random_draws {
 public:
  constexpr random_draws(std::uint64_t seed, std::uint64_t index)
      : seed_(seed), stream_(stream_base + index) {}

  /// Any 32 bits.
  [[gnu::noinline]] constexpr std::uint32_t word() {
    if (position_ == 4) {
      ++counter_;
      block_ = philox(seed_, stream_, counter_);
      position_ = 0;
    }
    const std::uint32_t drawn = block_.words[position_];
    ++position_;
    return drawn;
  }

  /// In [first, last].
  constexpr std::int32_t between(std::int32_t first, std::int32_t last) {
    const std::uint32_t count = static_cast<std::uint32_t>(last - first) + 1;
    return first + static_cast<std::int32_t>(uniform_below(word(), count));
  }

  /// True in `percent` of a hundred draws.
  constexpr bool happens(std::int32_t percent) { return between(0, 99) < percent; }

 private:
  /// Keeps the digits apart from other uses of the same seed.
  static constexpr std::uint64_t stream_base = 0x6469'6769'0000'0000;

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
  random_block block_ = {};
  int position_ = 4;
};

/// How one digit is written.
struct hand {
  std::int64_t matrix[2][2];  ///< in 1/65536 of a pixel for each unit of the pen
  place centre;               ///< of the digit
  std::int32_t wobble;        ///< how far a control point may stray, in 1/256 of a unit of the pen
  std::int32_t radius;        ///< half the width of the line, in 1/256 of a pixel
  std::int32_t ink;           ///< grey of the line, at most 255

  /// Where a control point lands: astray, scaled, slanted, turned about the middle and shifted.
  constexpr place operator()(const point& control, random_draws& random) const {
    const std::int64_t x = (control.x - 10) * 256 + random.between(-wobble, wobble);
    const std::int64_t y = (control.y - 14) * 256 + random.between(-wobble, wobble);
    return {centre.x + static_cast<std::int32_t>((matrix[0][0] * x + matrix[0][1] * y) / 65536),
            centre.y + static_cast<std::int32_t>((matrix[1][0] * x + matrix[1][1] * y) / 65536)};
  }
};

/// How much digits vary. The defaults are tuned for the tutorial's training: after it a linear
/// classifier is right in about 77 % of digits it has not seen and the network in 98 %.
struct variety {
  std::int32_t shift = 896;         ///< of the middle, in 1/256 of a pixel
  std::int32_t turn = 38;           ///< tangent of half the angle, in 1/256
  std::int32_t slant = 77;          ///< tangent of the angle, in 1/256
  std::int32_t least_width = 120;   ///< of a unit of the pen, in 1/256 of a pixel
  std::int32_t most_width = 190;    ///< of a unit of the pen, in 1/256 of a pixel
  std::int32_t least_height = 130;  ///< of a unit of the pen, in 1/256 of a pixel
  std::int32_t most_height = 190;   ///< of a unit of the pen, in 1/256 of a pixel
  std::int32_t wobble = 350;        ///< of a control point, in 1/256 of a unit of the pen
  std::int32_t least_radius = 140;  ///< half the width of the line, in 1/256 of a pixel
  std::int32_t most_radius = 360;   ///< half the width of the line, in 1/256 of a pixel
  std::int32_t least_ink = 150;     ///< grey of the line
  std::int32_t gaps = 15;           ///< percent of the strokes that lose a piece
  std::int32_t distractors = 30;    ///< percent of the digits with a stray line
  std::int32_t noise = 24;          ///< grey added or taken at most
};

/// Draws a hand within the variety.
[[gnu::cold]] constexpr hand random_hand(random_draws& random, const variety& how) {
  // With t = tan(angle / 2): cos = (1 - t^2) / (1 + t^2), sin = 2 t / (1 + t^2).
  const std::int64_t t = random.between(-how.turn, how.turn);
  const std::int64_t cosine = (65536 - t * t) * 65536 / (65536 + t * t);
  const std::int64_t sine = 512 * t * 65536 / (65536 + t * t);
  // Slant first, then turn: (x, y) to (x - slant y, y) to its rotation.
  const std::int64_t slant = random.between(-how.slant, how.slant);
  const std::int64_t width = random.between(how.least_width, how.most_width);
  const std::int64_t height = random.between(how.least_height, how.most_height);
  const std::int64_t lean = -slant * height / 256;
  hand drawn = {};
  drawn.matrix[0][0] = cosine * width / 256;
  drawn.matrix[0][1] = (cosine * lean - sine * height) / 256;
  drawn.matrix[1][0] = sine * width / 256;
  drawn.matrix[1][1] = (sine * lean + cosine * height) / 256;
  drawn.centre = {14 * one_pixel + random.between(-how.shift, how.shift),
                  14 * one_pixel + random.between(-how.shift, how.shift)};
  drawn.wobble = how.wobble;
  drawn.radius = random.between(how.least_radius, how.most_radius);
  drawn.ink = random.between(how.least_ink, 255);
  return drawn;
}

}  // namespace ipu_dsl::pen
