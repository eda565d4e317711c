// SPDX-License-Identifier: MIT
// The lines of outputs that meet a row of taps, in runs that a tile of a weight gradient sums up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The lines of outputs that meet a source at one row of taps of the kernel: of some planes, of
/// each the same rows.
template <window_product Product>
class met_lines {
 public:
  constexpr explicit met_lines(std::int32_t row_of_taps)
      : plane_tap_(Product.planes.taps == 1 ? 0 : row_of_taps / Product.rows.taps),
        row_tap_(Product.planes.taps == 1 ? row_of_taps : row_of_taps % Product.rows.taps),
        planes_(Product.planes.outputs_at(plane_tap_)),
        rows_(Product.rows.outputs_at(row_tap_)) {}

  constexpr std::int32_t count() const { return met_taps{planes_, rows_}.count(); }

  /// How many of them come before a line of outputs.
  constexpr std::int32_t before(std::int32_t line) const {
    const std::int32_t rows = rows_.end - rows_.begin;
    const std::int32_t row = std::clamp(Product.row_of(line) - rows_.begin, 0, rows);
    if constexpr (Product.planes.outputs == 1) {
      return row;
    } else {
      const std::int32_t plane = Product.plane_of(line) - planes_.begin;
      const std::int32_t planes = planes_.end - planes_.begin;
      return plane < 0 ? 0 : (std::min)(plane, planes) * rows + (plane < planes ? row : 0);
    }
  }

  /// Line `number` of them.
  constexpr std::int32_t at(std::int32_t number) const {
    if constexpr (Product.planes.outputs == 1) {
      return rows_.begin + number;
    } else {
      const std::int32_t rows = rows_.end - rows_.begin;
      return (planes_.begin + number / rows) * Product.rows.outputs + rows_.begin + number % rows;
    }
  }

  /// How many of them, from line `number` on, lie in one plane.
  constexpr std::int32_t in_plane_from(std::int32_t number) const {
    const std::int32_t rows = rows_.end - rows_.begin;
    return rows - (Product.planes.outputs == 1 ? number : number % rows);
  }

  /// Where the row of sources begins that a line meets.
  constexpr std::ptrdiff_t source(std::int32_t line) const {
    return Product.source_row(line, plane_tap_, row_tap_);
  }

 private:
  std::int32_t plane_tap_;
  std::int32_t row_tap_;
  index_range planes_;
  index_range rows_;
};

/// Some lines beside each other of one sample, which meet a source at one row of taps.
struct line_run {
  std::ptrdiff_t x;    ///< where the row of sources begins that the first of them meets
  std::ptrdiff_t d;    ///< where the first of them begins
  std::int32_t count;  ///< how many there are
};

/// Of a block of lines of all samples those that meet a row of taps, in runs of at most `most`;
/// none if no output meets a source at the tap.
template <window_product Product>
class line_runs {
 public:
  constexpr line_runs(std::int32_t row_of_taps, bool any, const index_range& block,
                      std::int32_t most)
      : lines_(row_of_taps),
        of_sample_(any ? lines_.count() : 0),
        all_(Product.samples * of_sample_),
        mine_({met_before(block.begin), met_before(block.end)}),
        ends_(block.end == Product.lines()),
        most_(most) {}

  /// Whether this is the last block and nothing but padding was met: the gradient is what it was,
  /// or zero.
  constexpr bool end_without_any() const { return all_ == 0 && ends_; }

  /// Calls `body(run, step)` for each: a gradient goes on from that of the run before, and is
  /// complete behind the last of all.
  template <typename Rule, typename Body>
  IPU_DSL_ALWAYS_INLINE void each(const gradient_step<Rule>& step, const Body& body) const {
    for (std::int32_t i = mine_.begin; i < mine_.end;) {
      const std::int32_t sample = i / of_sample_;
      const std::int32_t number = i % of_sample_;
      const std::int32_t line = lines_.at(number);
      const line_run run = {
          .x = sample * Product.read.sample + lines_.source(line),
          .d = sample * Product.written.sample + Product.written_line(line),
          .count = (std::min)({lines_.in_plane_from(number), mine_.end - i, most_})};
      gradient_step<Rule> of_run = step;
      of_run.continues = step.continues || i > 0;
      i += run.count;
      of_run.updates = step.updates && i == all_;
      body(run, of_run);
    }
  }

 private:
  /// How many such lines come before a line of all samples.
  constexpr std::int32_t met_before(std::int32_t line) const {
    if (of_sample_ == 0) {
      return 0;
    }
    const std::int32_t sample = line / Product.lines_of_sample();
    return sample * of_sample_ + lines_.before(line - sample * Product.lines_of_sample());
  }

  met_lines<Product> lines_;
  std::int32_t of_sample_;
  std::int32_t all_;
  index_range mine_;
  bool ends_;
  std::int32_t most_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
