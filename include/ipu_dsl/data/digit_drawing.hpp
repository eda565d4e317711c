// SPDX-License-Identifier: MIT
// Drawing lines into a small grey picture, in integers: every compiler and every instruction set
// draws the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ipu_dsl {

/// Rows and columns of a digit, in pixels.
inline constexpr std::int32_t digit_extent = 28;

namespace digits {

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

/// The first or last pixel whose centre can lie within `reach` of the coordinate.
constexpr std::int32_t pixel_near(std::int32_t coordinate) {
  const std::int32_t pixel = coordinate < 0 ? 0 : coordinate / one_pixel;
  return pixel < digit_extent ? pixel : digit_extent - 1;
}

/// A straight piece of a line with round ends, its edge one pixel soft.
constexpr void draw_line(picture pixels, const place& begin, const place& end, std::int32_t radius,
                         std::int32_t ink) {
  const std::int32_t reach = radius + one_pixel / 2;
  const std::int32_t core = radius - one_pixel / 2;
  const auto [left, right] =
      begin.x < end.x ? std::pair(begin.x, end.x) : std::pair(end.x, begin.x);
  const auto [top, bottom] =
      begin.y < end.y ? std::pair(begin.y, end.y) : std::pair(end.y, begin.y);
  for (std::int32_t row = pixel_near(top - reach); row <= pixel_near(bottom + reach); ++row) {
    for (std::int32_t column = pixel_near(left - reach); column <= pixel_near(right + reach);
         ++column) {
      const place centre = {column * one_pixel + one_pixel / 2, row * one_pixel + one_pixel / 2};
      const std::int64_t square = squared_distance(centre, begin, end);
      if (square >= std::int64_t{reach} * reach) {
        continue;
      }
      std::int32_t cover = one_pixel;
      if (core < 0 || square > std::int64_t{core} * core) {
        cover = reach - square_root(static_cast<std::int32_t>(square));
      }
      const std::int32_t grey = (cover > one_pixel ? one_pixel : cover) * ink / one_pixel;
      std::uint8_t& pixel = pixels[static_cast<std::size_t>(row * digit_extent + column)];
      if (grey > pixel) {
        pixel = static_cast<std::uint8_t>(grey);
      }
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

}  // namespace digits

}  // namespace ipu_dsl
