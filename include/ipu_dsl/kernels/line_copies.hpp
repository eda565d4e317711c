// SPDX-License-Identifier: MIT
// Lines of images whose pixels drive each other out of the cache, copied to where they lie
// together: what the tiles of a depthwise convolution's weight gradient read.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The lines of sources that some lines of outputs beside each other meet, and perhaps these, of as
/// many units as two lines of the cache hold.
template <layout::architecture Architecture, window_product Product>
class line_copies {
 public:
  static constexpr std::int32_t vectors = 4;
  static constexpr std::int32_t units = vectors * Architecture.lanes;

  /// Whether lines of outputs are copied as well. They are read once for every vector of units,
  /// sources for every row of taps: it pays where few outputs fill what the cache has for them and
  /// two vectors share a line of it. (With sixteen lanes 512 channels, 14x14, 1.28 of the time.)
  static constexpr bool with_outputs = Architecture.lanes == 8 && Product.written.pixel % 512 == 0;

  /// Floats of a line of sources, and of a line of outputs.
  static constexpr std::ptrdiff_t source_line = std::ptrdiff_t{Product.columns.sources} * units;
  static constexpr std::ptrdiff_t output_line = std::ptrdiff_t{Product.columns.outputs} * units;

  /// How many lines of sources so many lines of outputs meet.
  static constexpr std::int32_t sources_of(std::int32_t outputs) {
    const window_axis& rows = Product.rows;
    return rows.step * (outputs - 1) + rows.slope * (rows.taps - 1) + 1;
  }

  /// As many lines of outputs as meet 32 KB of sources, at least one.
  static constexpr std::int32_t lines = [] {
    constexpr std::ptrdiff_t room = 32 * 1024 / sizeof(float);
    std::int32_t found = 1;
    while (found < Product.rows.outputs && sources_of(found + 1) * source_line <= room) {
      ++found;
    }
    return found;
  }();

  static constexpr std::ptrdiff_t source_floats = sources_of(lines) * source_line;
  static constexpr std::ptrdiff_t output_floats = with_outputs ? lines * output_line : 0;

  /// Floats of their weights, [taps][units].
  static constexpr std::ptrdiff_t weight_floats = std::ptrdiff_t{Product.kernel_taps} * units;

  /// The same product of the copies.
  static constexpr window_product product = [] {
    window_product made = Product;
    made.read.row = source_line;
    made.read.pixel = units;
    made.units = units;
    if (with_outputs) {
      made.written.row = output_line;
      made.written.pixel = units;
    }
    return made;
  }();

  /// Copies some lines of a sample, of units from the one on that `x` and `d` begin with.
  void take(const float* x, const float* d, const index_range& outputs) {
    const std::int32_t first = Product.rows.source(outputs.begin, 0);
    for (std::int32_t i = 0; i < sources_of(outputs.end - outputs.begin); ++i) {
      if (first + i >= 0 && first + i < Product.rows.sources) {
        copy_line(x + (first + i) * Product.read.row, Product.read.pixel, Product.columns.sources,
                  sources_ + i * source_line);
      }
    }
    taken_ = d + Product.written_line(outputs.begin);
    if constexpr (with_outputs) {
      for (std::int32_t line = outputs.begin; line < outputs.end; ++line) {
        copy_line(d + Product.written_line(line), Product.written.pixel, Product.columns.outputs,
                  gradients_ + (line - outputs.begin) * output_line);
      }
      taken_ = gradients_;
    }
  }

  /// Where the image begins for `product`, whose first output meets the first copied source.
  const float* image() const { return sources_ - Product.rows.first * source_line; }

  /// The line of outputs with this number, counted from the first that was taken.
  const float* outputs(std::int32_t number) const { return taken_ + product.written_line(number); }

 private:
  alignas(64) float sources_[std::size_t{source_floats}];
  alignas(64) float gradients_[std::size_t{output_floats} + 1];
  const float* taken_ = nullptr;

  static void copy_line(const float* from, std::ptrdiff_t apart, std::int32_t pixels, float* to) {
    using numbers = vector<Architecture>;
    for (std::int32_t pixel = 0; pixel < pixels; ++pixel) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        store(to + pixel * units + v * Architecture.lanes,
              load<numbers>(from + pixel * apart + v * Architecture.lanes));
      }
    }
  }
};

/// Whether a weight gradient by lanes walks over copies of its lines. Pixels that lie 512 bytes or
/// a multiple of it apart find room in few places of the first-level cache: each tile reads them
/// from the second one or further, half a line of the cache at a time. (3x3, of the time: 128
/// channels, 28x28, 0.56; 256, 28x28, 0.60; 384, 14x14, 0.83; 512, 14x14, 0.40; 1024, 7x7, 0.38; of
/// 64 channels, 56x56 and 28x28, 1.04 and 1.2. With sixteen lanes, a line of the cache at a time,
/// it pays from 1024 bytes on: 256, 28x28, 0.69; 512, 14x14, 0.57; 1024, 7x7, 0.56; of 128
/// channels, 28x28, 1.3, of 384, 14x14, 1.26.)
template <layout::architecture Architecture, window_product Product>
constexpr bool copies_lines() {
  if constexpr (Product.lanewise != 0 && Product.depth == 1 && Product.has_outputs()) {
    constexpr std::ptrdiff_t most_on_stack = 96 * 1024 / sizeof(float);
    using copies = line_copies<Architecture, Product>;
    const bool one_plane = Product.planes.outputs == 1 && Product.planes.taps == 1;
    constexpr std::ptrdiff_t distance = Architecture.lanes == 8 ? 128 : 256;
    const bool apart = Product.read.pixel % distance == 0 && Product.written.pixel % distance == 0;
    return Architecture.lanes >= 8 && one_plane && apart &&
           copies::source_floats + copies::output_floats + copies::weight_floats <= most_on_stack;
  } else {
    return false;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
