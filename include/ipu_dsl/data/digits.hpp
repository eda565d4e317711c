// SPDX-License-Identifier: MIT
// Digits that the program writes itself, for those who have no data set at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/digit_drawing.hpp>
#include <ipu_dsl/data/digit_strokes.hpp>

namespace ipu_dsl {

namespace digits {

/// The random numbers of one digit, one after the other.
class random_draws {
 public:
  constexpr random_draws(std::uint64_t seed, std::uint64_t index)
      : seed_(seed), stream_(stream_base + index) {}

  constexpr std::uint32_t word() {
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

/// Where a point of the pen lands: scaled, slanted, turned about the middle and shifted.
struct hand {
  std::int64_t matrix[2][2];  ///< in 1/65536 of a pixel for each unit of the pen
  place centre;
  std::int32_t wobble;  ///< how far a control point may stray, in 1/256 of a unit of the pen
  std::int32_t radius;  ///< half the width of the line, in 1/256 of a pixel
  std::int32_t ink;     ///< grey of the line, at most 255

  constexpr place operator()(const pen_point& point, random_draws& random) const {
    const std::int64_t x = (point.x - 10) * 256 + random.between(-wobble, wobble);
    const std::int64_t y = (point.y - 14) * 256 + random.between(-wobble, wobble);
    return {centre.x + static_cast<std::int32_t>((matrix[0][0] * x + matrix[0][1] * y) / 65536),
            centre.y + static_cast<std::int32_t>((matrix[1][0] * x + matrix[1][1] * y) / 65536)};
  }
};

/// How much a digit may vary. The defaults are tuned: a linear classifier stays below 88 %, the
/// tutorial's network passes 96 %.
struct variety {
  std::int32_t shift = 896;              ///< of the middle, in 1/256 of a pixel
  std::int32_t turn = 38;          ///< tangent of half the angle, in 1/256
  std::int32_t slant = 77;         ///< tangent, in 1/256
  std::int32_t least_width = 120;  ///< of a unit of the pen, in 1/256 of a pixel
  std::int32_t most_width = 190;
  std::int32_t least_height = 130;
  std::int32_t most_height = 190;
  std::int32_t wobble = 350;               ///< of a control point, in 1/256 of a unit of the pen
  std::int32_t least_radius = 140;
  std::int32_t most_radius = 360;
  std::int32_t least_ink = 150;
  std::int32_t gap = 15;          ///< percent of the strokes that lose a piece
  std::int32_t distractors = 30;  ///< percent of the digits with a stray line
  std::int32_t noise = 24;        ///< grey added or taken at most
};

constexpr hand random_hand(random_draws& random, const variety& how) {
  // With t = tan(angle / 2): cos = (1 - t^2) / (1 + t^2), sin = 2 t / (1 + t^2).
  const std::int64_t t = random.between(-how.turn, how.turn);
  const std::int64_t cosine = (65536 - t * t) * 65536 / (65536 + t * t);
  const std::int64_t sine = 512 * t * 65536 / (65536 + t * t);
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

/// One stroke, with a piece left out now and then as by a dry pen.
constexpr void draw_stroke(picture pixels, const pen_stroke& stroke, const hand& drawn,
                           random_draws& random, const variety& how) {
  place controls[pen_stroke::max_points + 2] = {};
  for (std::int32_t i = 0; i < stroke.count; ++i) {
    controls[i + 1] = drawn(stroke.points[i], random);
  }
  controls[0] = controls[1];
  controls[stroke.count + 1] = controls[stroke.count];
  const std::int32_t pieces = stroke.count * 4;
  const std::int32_t gap = random.happens(how.gap) ? random.between(1, pieces - 1) : pieces;
  place before = controls[1];
  for (std::int32_t piece = 0; piece < pieces; ++piece) {
    const std::int32_t i = piece / 4;
    const place after = spline_point(controls[i], controls[i + 1], controls[i + 2], piece % 4 + 1);
    if (piece != gap) {
      draw_line(pixels, before, after, drawn.radius, drawn.ink);
    }
    before = after;
  }
}

/// A short stray line near the border.
constexpr void draw_distractor(picture pixels, const hand& drawn, random_draws& random) {
  const std::int32_t border = random.between(0, 4 * one_pixel);
  const std::int32_t along = random.between(0, digit_extent * one_pixel);
  const std::int32_t side = random.between(0, 3);
  const std::int32_t far = side % 2 == 0 ? border : digit_extent * one_pixel - border;
  const place begin = side < 2 ? place{along, far} : place{far, along};
  const place end = {begin.x + random.between(-4 * one_pixel, 4 * one_pixel),
                     begin.y + random.between(-4 * one_pixel, 4 * one_pixel)};
  draw_line(pixels, begin, end, drawn.radius / 2 + 64, drawn.ink * 3 / 4);
}

constexpr void add_noise(picture pixels, random_draws& random, std::int32_t noise) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    word = i % 4 == 0 ? random.word() : word >> 8;
    const std::int32_t byte = static_cast<std::int32_t>(word & 255);
    const std::int32_t grey = pixels[i] + (byte * (2 * noise + 1)) / 256 - noise;
    pixels[i] = static_cast<std::uint8_t>(grey < 0 ? 0 : grey > 255 ? 255 : grey);
  }
}

}  // namespace digits

/// Draws the digit at `index` of `seed` into 28 x 28 grey pixels (0 is paper, 255 ink) and returns
/// which digit it is. It depends on `seed` and `index` alone and is the same on every machine.
constexpr std::int32_t draw_digit(std::uint64_t seed, std::uint32_t index, digits::picture pixels,
                                  const digits::variety& how = {}) {
  digits::random_draws random(seed, index);
  for (std::uint8_t& pixel : pixels) {
    pixel = 0;
  }
  const std::int32_t digit = random.between(0, 9);
  const pen_glyphs& ways = digit_glyphs[digit];
  const pen_glyph& way = ways.glyphs[random.between(0, ways.count - 1)];
  const digits::hand drawn = digits::random_hand(random, how);
  for (std::int32_t i = 0; i < way.count; ++i) {
    digits::draw_stroke(pixels, way.strokes[i], drawn, random, how);
  }
  if (random.happens(how.distractors)) {
    digits::draw_distractor(pixels, drawn, random);
  }
  digits::add_noise(pixels, random, how.noise);
  return digit;
}

/// Digits as a data set: 28 x 28 grey values and ten classes, as MNIST.
using digit_dataset = labelled_dataset<shape{digit_extent, digit_extent}, 10, std::uint8_t>;

/// The first `count` digits of `seed`. Another seed gives other digits: use one for training and
/// one for the test.
inline digit_dataset synthetic_digits(std::int32_t count, std::uint64_t seed) {
  constexpr std::size_t pixels = digit_extent * digit_extent;
  const std::size_t samples = static_cast<std::size_t>(count);
  std::vector<std::uint8_t> features(samples * pixels);
  std::vector<std::int32_t> labels(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const digits::picture picture(&features[i * pixels], pixels);
    labels[i] = draw_digit(seed, static_cast<std::uint32_t>(i), picture);
  }
  return digit_dataset(std::move(features), std::move(labels));
}

}  // namespace ipu_dsl
