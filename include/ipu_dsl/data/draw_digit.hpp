// SPDX-License-Identifier: MIT
// Draws one digit as a person might.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/data/digit_drawing.hpp>
#include <ipu_dsl/data/digit_hand.hpp>
#include <ipu_dsl/data/digit_strokes.hpp>

namespace ipu_dsl {

namespace pen {

/// One stroke, with a piece left out now and then as by a dry pen.
[[gnu::cold]] constexpr void draw_stroke(picture pixels, const stroke& drawing, const hand& drawn,
                                         random_draws& random, const variety& how) {
  place controls[stroke::max_points + 2] = {};
  for (std::int32_t i = 0; i < drawing.count; ++i) {
    controls[i + 1] = drawn(drawing.points[i], random);
  }
  controls[0] = controls[1];
  controls[drawing.count + 1] = controls[drawing.count];
  const std::int32_t pieces = drawing.count * 4;
  const std::int32_t gap = random.happens(how.gaps) ? random.between(1, pieces - 1) : pieces;
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
[[gnu::cold]] constexpr void draw_distractor(picture pixels, const hand& drawn,
                                             random_draws& random) {
  const std::int32_t border = random.between(0, 4 * one_pixel);
  const std::int32_t along = random.between(0, digit_extent * one_pixel);
  const std::int32_t side = random.between(0, 3);
  const std::int32_t across = side % 2 == 0 ? border : digit_extent * one_pixel - border;
  const place begin = side < 2 ? place{along, across} : place{across, along};
  const place end = {begin.x + random.between(-4 * one_pixel, 4 * one_pixel),
                     begin.y + random.between(-4 * one_pixel, 4 * one_pixel)};
  draw_line(pixels, begin, end, drawn.radius / 2 + 64, drawn.ink * 3 / 4);
}

/// Makes every pixel up to `noise` lighter or darker.
[[gnu::cold]] constexpr void add_noise(picture pixels, random_draws& random, std::int32_t noise) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    word = i % 4 == 0 ? random.word() : word >> 8;
    const std::int32_t byte = static_cast<std::int32_t>(word & 255);
    const std::int32_t grey = pixels[i] + (byte * (2 * noise + 1)) / 256 - noise;
    pixels[i] = static_cast<std::uint8_t>(std::clamp(grey, 0, 255));
  }
}

}  // namespace pen

/// Draws the digit at `index` of `seed` into 28 x 28 grey pixels (0 is paper, 255 ink) and returns
/// which digit it is. It depends on `seed` and `index` alone and is the same on every machine.
[[gnu::cold]] constexpr std::int32_t draw_digit(std::uint64_t seed, std::uint32_t index,
                                                pen::picture pixels, const pen::variety& how = {}) {
  pen::random_draws random(seed, index);
  std::fill(pixels.begin(), pixels.end(), std::uint8_t{0});
  const std::int32_t digit = random.between(0, 9);
  const pen::ways& ways = pen::digit_glyphs[digit];
  const pen::glyph& way = ways.glyphs[random.between(0, ways.count - 1)];
  const pen::hand drawn = pen::random_hand(random, how);
  for (std::int32_t i = 0; i < way.count; ++i) {
    pen::draw_stroke(pixels, way.strokes[i], drawn, random, how);
  }
  if (random.happens(how.distractors)) {
    pen::draw_distractor(pixels, drawn, random);
  }
  pen::add_noise(pixels, random, how.noise);
  return digit;
}

}  // namespace ipu_dsl
