// SPDX-License-Identifier: MIT
// Drawing lines into a small grey picture, in integers: every compiler and every instruction set
// draws the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Rows and columns of a digit, in pixels.
inline constexpr std::int32_t digit_extent = 28;

namespace pen {

/// A place in the picture, in 1/256 of a pixel.
struct place {
  std::int32_t x;
  std::int32_t y;
};

/// The side of a pixel in the units of `place`.
inline constexpr std::int32_t one_pixel = 256;

/// [row, column]: 0 is paper, 255 ink.
using picture = std::span<std::uint8_t, digit_extent * digit_extent>;

/// The largest integer whose square is at most `square`.
constexpr std::int32_t square_root(std::int32_t square) {
  std::int32_t root = 0;
  for (std::int32_t bit = 1 << 15; bit > 0; bit /= 2) {
    const std::int64_t candidate = root + bit;
    if (candidate * candidate <= square) {
      root += bit;
    }
  }
  return root;
}

/// The squared distance of `from` to the line from `begin` to `end`, in (1/256 pixel)^2.
constexpr std::int64_t squared_distance(const place& from, const place& begin, const place& end) {
  const std::int64_t along_x = end.x - begin.x;
  const std::int64_t along_y = end.y - begin.y;
  std::int64_t x = from.x - begin.x;
  std::int64_t y = from.y - begin.y;
  const std::int64_t length = along_x * along_x + along_y * along_y;
  const std::int64_t share = x * along_x + y * along_y;
  if (share >= length) {
    x = from.x - end.x;
    y = from.y - end.y;
  } else if (share > 0) {
    const std::int64_t ratio = share * 4096 / length;
    x -= along_x * ratio / 4096;
    y -= along_y * ratio / 4096;
  }
  return x * x + y * y;
}

/// The row or column that a coordinate lies in, or the nearest one of the picture.
constexpr std::int32_t pixel_of(std::int32_t coordinate) {
  return std::clamp(coordinate, 0, digit_extent * one_pixel - 1) / one_pixel;
}

/// The grey of a pixel whose centre has this squared distance from a line: full within it, none
/// beyond, and in proportion on the one pixel that its edge is wide.
constexpr std::int32_t grey_at(std::int64_t square, std::int32_t radius, std::int32_t ink) {
  const std::int32_t reach = radius + one_pixel / 2;
  if (square >= std::int64_t{reach} * reach) {
    return 0;
  }
  const std::int32_t inside = reach - square_root(static_cast<std::int32_t>(square));
  return (std::min)(inside, one_pixel) * ink / one_pixel;
}

/// A straight line with round ends over what is there already: the darker grey stays.
constexpr void draw_line(picture pixels, const place& begin, const place& end, std::int32_t radius,
                         std::int32_t ink) {
  const std::int32_t reach = radius + one_pixel / 2;
  const std::int32_t top = pixel_of((std::min)(begin.y, end.y) - reach);
  const std::int32_t bottom = pixel_of((std::max)(begin.y, end.y) + reach);
  const std::int32_t left = pixel_of((std::min)(begin.x, end.x) - reach);
  const std::int32_t right = pixel_of((std::max)(begin.x, end.x) + reach);
  for (std::int32_t row = top; row <= bottom; ++row) {
    for (std::int32_t column = left; column <= right; ++column) {
      const place centre = {column * one_pixel + one_pixel / 2, row * one_pixel + one_pixel / 2};
      const std::int32_t grey = grey_at(squared_distance(centre, begin, end), radius, ink);
      std::uint8_t& pixel = pixels[static_cast<std::size_t>(row * digit_extent + column)];
      pixel = (std::max)(pixel, static_cast<std::uint8_t>(grey));
    }
  }
}

/// The point at `step` of 4 on the piece of a quadratic B-spline that three points control.
constexpr place spline_point(const place& a, const place& b, const place& c, std::int32_t step) {
  const std::int32_t weight_a = (4 - step) * (4 - step);
  const std::int32_t weight_c = step * step;
  const std::int32_t weight_b = 32 - weight_a - weight_c;
  return {(weight_a * a.x + weight_b * b.x + weight_c * c.x) / 32,
          (weight_a * a.y + weight_b * b.y + weight_c * c.y) / 32};
}

}  // namespace pen

}  // namespace ipu_dsl
