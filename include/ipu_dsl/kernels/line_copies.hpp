// SPDX-License-Identifier: MIT
// Lines of images whose pixels drive each other out of the cache, copied to where they lie
// together: what the tiles of a depthwise convolution's weight gradient read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Copies nothing.
struct no_copier {
  static void copy_pixel(std::int32_t) {}

  static void copy_pixels(const index_range&) {}

  static void next_line() {}

  static void skip_lines(std::int32_t) {}
};

/// Copies lines of sources, of as many units as a line of the cache holds: for one line of outputs
/// after the other those that the one behind it meets for the first time. A tile that has all taps
/// of its lines does so pixel by pixel while it multiplies, so that nothing waits for what is read
/// from afar. (3x3, 512 channels, 14x14: copies of 64 channels between tiles took 1.25 to 1.4 times
/// as long.)
template <layout::architecture Architecture, window_product Product>
class line_copier {
 public:
  /// Of short lines several lines of the cache, which are asked for together. (3x3, 1024 channels,
  /// 7x7: 0.62 to 0.84 of the time; 512 channels, 14x14: 1.2.)
  static constexpr std::int32_t units = line_floats * (Product.columns.sources <= 8 ? 4 : 1);

  /// Floats of the copy of a line.
  static constexpr std::ptrdiff_t line = std::ptrdiff_t{Product.columns.sources} * units;

  /// Copies what a line of outputs meets, of the image whose first copied unit lies at `image`, and
  /// will go on with the next one. The first line of the copies lies at `to`.
  line_copier(const float* image, std::int32_t output, float* to)
      : image_(image), next_(Product.rows.source(output, 0)), to_(to) {
    for (std::int32_t i = 0; i <= Product.rows.slope * (Product.rows.taps - 1); ++i) {
      if (next_ >= 0 && next_ < Product.rows.sources) {
        copy_line(source(next_), to_);
      }
      ++next_;
      to_ += line;
    }
    find();
  }

  IPU_DSL_ALWAYS_INLINE void copy_pixel(std::int32_t pixel) const {
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < step; ++i) {
      copy(from_[i] + pixel * Product.read.pixel, to_ + i * line + pixel * units);
    }
  }

  IPU_DSL_ALWAYS_INLINE void copy_pixels(const index_range& pixels) const {
    for (std::int32_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
      copy_pixel(pixel);
    }
  }

  IPU_DSL_ALWAYS_INLINE void next_line() { skip_lines(1); }

  /// Goes on behind what so many lines of outputs have copied.
  IPU_DSL_ALWAYS_INLINE void skip_lines(std::int32_t outputs) {
    next_ += outputs * step;
    to_ += outputs * step * line;
    find();
  }

  /// Copies what so many lines of outputs would.
  void copy_lines(std::int32_t outputs) {
    for (std::int32_t i = 0; i < outputs; ++i) {
      copy_pixels({0, Product.columns.sources});
      next_line();
    }
  }

 private:
  static constexpr std::int32_t step = Product.rows.step;

  const float* image_;
  std::int32_t next_;
  float* to_;
  const float* from_[std::size_t{step}];

  /// Beyond the image there is nothing to be read: another line is copied, and never met.
  const float* source(std::int32_t number) const {
    return image_ + std::clamp(number, 0, Product.rows.sources - 1) * Product.read.row;
  }

  void find() {
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < step; ++i) {
      from_[i] = source(next_ + i);
    }
  }

  static void copy_line(const float* from, float* to) {
    for (std::int32_t pixel = 0; pixel < Product.columns.sources; ++pixel) {
      copy(from + pixel * Product.read.pixel, to + pixel * units);
    }
  }

  IPU_DSL_ALWAYS_INLINE static void copy(const float* from, float* to) {
    IPU_DSL_UNROLLED
    for (std::int32_t v = 0; v < units; v += Architecture.lanes) {
      store(to + v, load<vector<Architecture>>(from + v));
    }
  }
};

/// Room for the lines of sources that some lines of outputs beside each other meet.
template <layout::architecture Architecture, window_product Product>
class line_copies {
 public:
  using copier = line_copier<Architecture, Product>;

  static constexpr std::int32_t units = copier::units;
  static constexpr std::int32_t vectors = units / Architecture.lanes;

  /// How many lines of sources so many lines of outputs meet.
  static constexpr std::int32_t sources_of(std::int32_t outputs) {
    const window_axis& rows = Product.rows;
    return rows.step * (outputs - 1) + rows.slope * (rows.taps - 1) + 1;
  }

  /// As many lines of outputs as meet 32 KB of sources, at least one.
  static constexpr std::int32_t lines = [] {
    constexpr std::ptrdiff_t room = 32 * 1024 / sizeof(float);
    std::int32_t found = 1;
    while (found < Product.rows.outputs && sources_of(found + 1) * copier::line <= room) {
      ++found;
    }
    return found;
  }();

  /// Floats of the lines of sources that they meet.
  static constexpr std::ptrdiff_t floats = sources_of(lines) * copier::line;

  /// The same product of the copies.
  static constexpr window_product product = [] {
    window_product made = Product;
    made.read.row = copier::line;
    made.read.pixel = units;
    return made;
  }();

  /// Of some lines of outputs those behind which another one meets sources for the first time.
  static constexpr index_range outputs_that_copy(const index_range& outputs) {
    const window_axis& rows = Product.rows;
    std::int32_t end = outputs.end - 1;
    while (end > outputs.begin && rows.source(end - 1, rows.taps - 1) + 1 >= rows.sources) {
      --end;
    }
    return {outputs.begin, end};
  }

  /// Begins to copy what lines of outputs from this one on meet, of the image whose first copied
  /// unit lies at `image`.
  copier begin(const float* image, std::int32_t output) { return {image, output, copies_}; }

  /// Where the image begins for `product`, whose first output meets the first copied source.
  const float* image() const { return copies_ - Product.rows.first * copier::line; }

 private:
  alignas(64) float copies_[std::size_t{floats}];
};

/// Whether a weight gradient by lanes walks over copies of its lines. Pixels that lie a kilobyte or
/// a multiple of it apart find room in few places of the first-level cache: whoever reads them
/// reads the second one or further. With eight lanes a vector is half a line of the cache, which is
/// read again for the other half: there it pays from 512 bytes on, of multiples of 256. (3x3, of
/// the time: 192 channels, 14x14, 0.87; 576, eight images, 0.97; of 64, 56x56 and 28x28, 1.05 and
/// 1.1. With sixteen lanes: 128 channels, 28x28, 1.2.)
template <layout::architecture Architecture, window_product Product>
constexpr bool copies_lines() {
  if constexpr (Architecture.lanes >= 8 && Product.has_rows_of_numbers() && Product.depth == 1 &&
                Product.has_outputs()) {
    constexpr std::ptrdiff_t most_on_stack = 96 * 1024 / sizeof(float);
    using copies = line_copies<Architecture, Product>;
    const bool one_plane = Product.planes.outputs == 1 && Product.planes.taps == 1;
    const auto apart = [](std::ptrdiff_t pixel) {
      return Architecture.lanes == 8 ? pixel >= 128 && pixel % 64 == 0 : pixel % 256 == 0;
    };
    const bool collide = apart(Product.read.pixel) && apart(Product.written.pixel);
    return one_plane && collide && copies::floats <= most_on_stack;
  } else {
    return false;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
