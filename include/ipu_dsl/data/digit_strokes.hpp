// SPDX-License-Identifier: MIT
// How the ten digits are written: pen strokes, several ways for each digit. Data only.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl::pen {

/// A place of the pen: x to the right in 0..20, y downwards in 0..28.
struct point {
  std::int8_t x;
  std::int8_t y;
};

/// What the pen does from touching the paper to leaving it. The points control a quadratic B-spline
/// that begins and ends in the first and last of them; a point that stands twice is a corner.
struct stroke {
  static constexpr std::int32_t max_points = 14;

  std::int32_t count;
  point points[max_points];
};

/// One way to write one digit.
struct glyph {
  static constexpr std::int32_t max_strokes = 2;

  std::int32_t count;
  stroke strokes[max_strokes];
};

/// The ways to write one digit.
struct ways {
  static constexpr std::int32_t max_glyphs = 4;

  std::int32_t count;
  glyph glyphs[max_glyphs];
};

/// Every way to write every digit.
inline constexpr ways digit_glyphs[10] = {
    // 0: closed, narrow, open at the top.
    {3,
     {{1,
       {{9, {{10, 0}, {2, 0}, {-1, 14}, {2, 28}, {10, 29}, {18, 28}, {21, 14}, {18, 0}, {10, 0}}}}},
      {1,
       {{9, {{10, 0}, {5, 0}, {4, 14}, {5, 28}, {10, 29}, {15, 28}, {16, 14}, {15, 0}, {10, 0}}}}},
      {1,
       {{9,
         {{12, 1}, {3, 0}, {-2, 14}, {2, 29}, {12, 29}, {21, 25}, {21, 10}, {15, 0}, {8, 3}}}}}}},
    // 1: a bar, with a flag, with a flag and a foot.
    {3,
     {{1, {{2, {{10, 0}, {10, 28}}}}},
      {1, {{4, {{4, 8}, {10, 0}, {10, 0}, {10, 28}}}}},
      {2, {{4, {{4, 6}, {11, 0}, {11, 0}, {11, 28}}}, {2, {{3, 28}, {18, 28}}}}}}},
    // 2: with a corner, with a loop, angular.
    {3,
     {{1,
       {{9, {{1, 7}, {2, -1}, {17, -2}, {21, 9}, {12, 18}, {0, 28}, {0, 28}, {10, 28}, {20, 28}}}}},
      {1,
       {{9, {{2, 5}, {8, -2}, {20, 2}, {16, 13}, {6, 26}, {-2, 28}, {0, 21}, {8, 24}, {20, 28}}}}},
      {1, {{6, {{2, 1}, {18, 1}, {18, 1}, {1, 28}, {1, 28}, {20, 28}}}}}}},
    // 3: round, with a flat top.
    {2,
     {{1,
       {{10,
         {{1, 4},
          {5, -1},
          {19, -2},
          {20, 12},
          {7, 13},
          {7, 13},
          {22, 14},
          {20, 29},
          {6, 30},
          {0, 24}}}}},
      {1,
       {{9, {{1, 0}, {18, 0}, {18, 0}, {8, 11}, {8, 11}, {23, 12}, {20, 29}, {7, 30}, {0, 25}}}}}}},
    // 4: open, closed.
    {2,
     {{2, {{4, {{4, 0}, {1, 16}, {1, 16}, {20, 16}}}, {2, {{15, 3}, {13, 28}}}}},
      {1, {{6, {{14, 28}, {14, 0}, {14, 0}, {0, 19}, {0, 19}, {20, 19}}}}}}},
    // 5: with corners, in one swing, with the bar drawn last.
    {3,
     {{1,
       {{10,
         {{18, 0},
          {4, 0},
          {4, 0},
          {2, 12},
          {2, 12},
          {17, 8},
          {22, 19},
          {16, 29},
          {6, 30},
          {0, 25}}}}},
      {1, {{8, {{19, 2}, {7, -3}, {-2, 7}, {9, 13}, {21, 18}, {17, 30}, {6, 30}, {0, 24}}}}},
      {2,
       {{7, {{5, 0}, {3, 12}, {3, 12}, {19, 9}, {21, 24}, {10, 30}, {1, 27}}},
        {2, {{5, 0}, {20, -1}}}}}}},
    // 6: curved, with a straight stem.
    {2,
     {{1,
       {{9, {{16, 0}, {5, 4}, {-1, 18}, {2, 30}, {14, 31}, {21, 24}, {17, 13}, {6, 13}, {1, 22}}}}},
      {1, {{8, {{8, 0}, {4, 9}, {0, 22}, {2, 30}, {17, 31}, {21, 19}, {13, 14}, {2, 19}}}}}}},
    // 7: plain, with a bar, with a serif.
    {3,
     {{1, {{4, {{0, 0}, {20, 0}, {20, 0}, {7, 28}}}}},
      {2, {{4, {{0, 0}, {20, 0}, {20, 0}, {7, 28}}}, {2, {{5, 14}, {18, 14}}}}},
      {1, {{7, {{1, 6}, {1, 0}, {1, 0}, {20, 0}, {20, 0}, {10, 13}, {8, 28}}}}}}},
    // 8: in one swing, two rings.
    {2,
     {{1,
       {{11,
         {{17, 4},
          {12, -2},
          {0, -1},
          {1, 10},
          {19, 18},
          {20, 29},
          {2, 31},
          {0, 19},
          {18, 11},
          {20, 2},
          {15, 1}}}}},
      {2,
       {{7, {{10, 0}, {2, 0}, {2, 13}, {10, 13}, {18, 13}, {18, 0}, {10, 0}}},
        {7, {{10, 13}, {-1, 13}, {-1, 29}, {10, 29}, {21, 29}, {21, 13}, {10, 13}}}}}}},
    // 9: with a straight stem, with a curved tail.
    {2,
     {{1,
       {{10,
         {{18, 5},
          {14, -2},
          {1, -2},
          {-2, 13},
          {9, 16},
          {18, 9},
          {19, 3},
          {19, 3},
          {18, 14},
          {15, 28}}}}},
      {1,
       {{11,
         {{18, 5},
          {14, -2},
          {1, -2},
          {-2, 13},
          {9, 16},
          {18, 9},
          {19, 4},
          {19, 4},
          {20, 20},
          {14, 30},
          {2, 27}}}}}}}};

}  // namespace ipu_dsl::pen
