// SPDX-License-Identifier: MIT
// Lines of images whose pixels drive each other out of the cache, copied to where they lie
// together: what the tiles of a depthwise convolution's weight gradient read.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Some lines of outputs beside each other and the lines of sources that they meet, of as many
/// units as two lines of the cache hold.
template <layout::architecture Architecture, window_product Product>
struct line_copies {
  static constexpr std::int32_t vectors = 4;
  static constexpr std::int32_t units = vectors * Architecture.lanes;

  /// Floats of a line of sources, and of a line of outputs.
  static constexpr std::ptrdiff_t source_line = std::ptrdiff_t{Product.columns.sources} * units;
  static constexpr std::ptrdiff_t output_line = std::ptrdiff_t{Product.columns.outputs} * units;

  /// How many lines of sources so many lines of outputs meet.
  static constexpr std::int32_t sources_of(std::int32_t outputs) {
    const window_axis& rows = Product.rows;
    return rows.step * (outputs - 1) + rows.slope * (rows.taps - 1) + 1;
  }

  static constexpr std::ptrdiff_t floats_of(std::int32_t outputs) {
    return sources_of(outputs) * source_line + outputs * output_line;
  }

  /// As many lines of outputs as find room in 48 KB, at least one (14x14, of 512 channels: all).
  static constexpr std::int32_t lines = [] {
    constexpr std::ptrdiff_t room = 48 * 1024 / sizeof(float);
    std::int32_t found = 1;
    while (found < Product.rows.outputs && floats_of(found + 1) <= room) {
      ++found;
    }
    return found;
  }();

  /// The same product of the copies: outputs are counted from the first that is copied.
  static constexpr window_product product = [] {
    window_product made = Product;
    made.read.row = source_line;
    made.read.pixel = units;
    made.written.row = output_line;
    made.written.pixel = units;
    return made;
  }();

  /// Copies some lines of a sample, of units from the one on that `x` and `d` begin with.
  void take(const float* x, const float* d, const index_range& outputs) {
    const std::int32_t first = Product.rows.source(outputs.begin, 0);
    for (std::int32_t i = 0; i < sources_of(outputs.end - outputs.begin); ++i) {
      if (first + i >= 0 && first + i < Product.rows.sources) {
        copy_line(x + (first + i) * Product.read.row, Product.read.pixel, Product.columns.sources,
                  sources + i * source_line);
      }
    }
    for (std::int32_t line = outputs.begin; line < outputs.end; ++line) {
      copy_line(d + Product.written_line(line), Product.written.pixel, Product.columns.outputs,
                gradients + (line - outputs.begin) * output_line);
    }
  }

  /// Where image and outputs begin for `product`: its first output meets the first copied source.
  const float* image() const { return sources - Product.rows.first * source_line; }

  alignas(64) float sources[std::size_t{sources_of(lines)} * std::size_t{source_line}];
  alignas(64) float gradients[std::size_t{lines} * std::size_t{output_line}];

 private:
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

/// Whether a weight gradient by lanes walks over copies of its lines. Where pixels collide, each
/// tile reads them from the second-level cache or further, half a line of the cache at a time.
/// (3x3, 256 channels, 28x28: 0.84 of the time; 512, 14x14: 0.42; 1024, 7x7: 0.37; pixels 1.5 KB
/// apart would take 1.15.)
template <layout::architecture Architecture, window_product Product>
constexpr bool copies_lines() {
  if constexpr (Product.lanewise != 0 && Product.depth == 1 && Product.has_outputs()) {
    constexpr std::ptrdiff_t most_on_stack = 96 * 1024 / sizeof(float);
    using copies = line_copies<Architecture, Product>;
    const bool one_plane = Product.planes.outputs == 1 && Product.planes.taps == 1;
    const bool collide = pixels_collide(Product.read.pixel, Architecture) &&
                         pixels_collide(Product.written.pixel, Architecture);
    return one_plane && collide && copies::floats_of(copies::lines) <= most_on_stack;
  } else {
    return false;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
