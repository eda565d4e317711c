// SPDX-License-Identifier: MIT
// Tests of kernels/window_blocks.hpp: images that are read again are read in blocks that stay near.
#include <ipu_dsl/kernels/window_blocks.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using kernels::forward_axis;
using kernels::window_product;

constexpr layout::architecture avx2{8, 16, true};
constexpr layout::architecture avx512{16, 32, true};

/// A product over `taps` x `taps` of images of `extent` x `extent` with as many units as channels.
constexpr window_product square(int samples, int extent, int channels, int taps) {
  const std::ptrdiff_t row = std::ptrdiff_t{extent} * channels;
  window_product made{};
  made.read = {extent * row, row, channels};
  made.written = made.read;
  made.samples = samples;
  made.rows = forward_axis({extent, extent, taps, 1, (taps - 1) / 2});
  made.columns = made.rows;
  made.depth = channels;
  made.units = channels;
  made.kernel_columns = taps;
  made.kernel_taps = taps * taps;
  return made;
}

}  // namespace

TEST_CASE("a weight gradient goes by blocks of lines where its images are read again") {
  // 32 samples of 32 x 32 x 16: 4 MB of both images; a line of both is 4 KB.
  constexpr window_product pictures = square(32, 32, 16, 3);
  STATIC_REQUIRE(kernels::lines_of_gradient_block(pictures, avx512) == 256 / 4);
  // Whole tiles, of which one has 24 KB.
  STATIC_REQUIRE(kernels::lines_of_gradient_block(pictures, avx2) == 256 / 4 / 6 * 6);
  // Of one panel a product reads its image once.
  STATIC_REQUIRE(kernels::lines_of_block(pictures, avx512) == pictures.lines());
  // So does the gradient of one tap.
  constexpr window_product one_tap = square(32, 32, 16, 1);
  STATIC_REQUIRE(kernels::lines_of_gradient_block(one_tap, avx512) == one_tap.lines());
}

TEST_CASE("narrow vectors walk blocks of what is written alone if it leaves the caches") {
  const auto widening = [](int samples) {
    window_product made = square(samples, 56, 64, 1);
    made.units = 256;
    made.written = {made.read.sample * 4, made.read.row * 4, 256};
    return made;
  };
  constexpr window_product near = widening(1);
  STATIC_REQUIRE(kernels::lines_of_block(near, avx2) == near.lines());
  // A line of both images is 70 KB, the weights are 64.
  STATIC_REQUIRE(kernels::lines_of_block(near, avx512) == 2);
  STATIC_REQUIRE(kernels::lines_of_block(widening(8), avx2) == 2);
}

TEST_CASE("several panels read images again in both directions") {
  constexpr window_product wide = square(2, 56, 64, 3);
  // A line of both images is 28 KB. A product has all weights beside it, a gradient those of a
  // panel.
  STATIC_REQUIRE(kernels::lines_of_block(wide, avx512) == (256 - 9 * 64 * 64 * 4 / 1024) / 28);
  STATIC_REQUIRE(kernels::lines_of_gradient_block(wide, avx2) == 256 / 28);
  STATIC_REQUIRE(kernels::lines_of_gradient_block(wide, avx512) == 256 / 28 / 5 * 5);
}

TEST_CASE(
    "what is small is one block, and of many weights a block has the lines of a tile at least") {
  constexpr window_product small = square(1, 8, 16, 3);
  STATIC_REQUIRE(kernels::lines_of_gradient_block(small, avx512) == small.lines());
  STATIC_REQUIRE(kernels::lines_of_gradient_block(small, avx2) == small.lines());
  // 9 MB of weights; a line of both images is 28 KB.
  constexpr window_product heavy = square(8, 7, 512, 3);
  STATIC_REQUIRE(kernels::lines_of_block(heavy, avx512) == heavy.lines());
  STATIC_REQUIRE(kernels::lines_of_gradient_block(heavy, avx512) == 37);
  STATIC_REQUIRE(kernels::lines_of_gradient_block(heavy, avx2) == 16);
}

TEST_CASE("a weight gradient of pixels that lie far apart sums up few lines, or copies them") {
  const auto pointwise = [](int extent, int channels, int units) {
    window_product made = square(1, extent, channels, 1);
    made.units = units;
    made.written = {made.read.sample / channels * units, made.read.row / channels * units, units};
    return made;
  };
  STATIC_REQUIRE(kernels::reads_few_lines(pointwise(56, 256, 64), avx512));
  STATIC_REQUIRE(kernels::lines_of_tile(pointwise(28, 256, 64), avx512) == 2);
  STATIC_REQUIRE(kernels::lines_of_tile(pointwise(28, 192, 64), avx512) == 10);
  STATIC_REQUIRE(!kernels::reads_few_lines(pointwise(14, 256, 64), avx512));
  STATIC_REQUIRE(!kernels::reads_few_lines(square(1, 56, 256, 3), avx512));
  STATIC_REQUIRE(!kernels::reads_few_lines(pointwise(56, 256, 64), avx2));
  STATIC_REQUIRE(kernels::copies_outputs(pointwise(7, 512, 2048), avx512));
  STATIC_REQUIRE(!kernels::copies_outputs(pointwise(7, 512, 1280), avx512));
  STATIC_REQUIRE(!kernels::copies_outputs(pointwise(28, 128, 512), avx512));
  STATIC_REQUIRE(kernels::copies_outputs(pointwise(28, 128, 512), avx2));
}

TEST_CASE(
    "a tile of wide vectors sums up lines of 256 outputs, of narrow ones what stays nearest") {
  STATIC_REQUIRE(kernels::lines_of_tile(square(1, 32, 16, 3), avx512) == 8);
  STATIC_REQUIRE(kernels::lines_of_tile(square(1, 7, 16, 3), avx512) == 37);
  STATIC_REQUIRE(kernels::lines_of_tile(square(1, 32, 16, 3), avx2) == 6);
  STATIC_REQUIRE(kernels::lines_of_tile(square(1, 56, 64, 3), avx2) == 1);
  // Outputs whole half kilobytes apart are copied: 112 of them.
  STATIC_REQUIRE(kernels::lines_of_tile(square(1, 28, 128, 3), avx2) == 4);
}
