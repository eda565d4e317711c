// SPDX-License-Identifier: MIT
// Products over windows of few units with pixels as lanes: how a line is cut.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How such a product is cut. What is read is laid out first, a plane for each number of a pixel,
/// with room for the padding: rows of sources that a line of outputs meets, in a ring.
template <window_product Product, layout::architecture Architecture>
struct pixelwise_cut {
  static constexpr std::int32_t width = Architecture.lanes;
  static constexpr std::int32_t outputs = Product.columns.outputs;
  static constexpr std::int32_t units = Product.units;

  /// Whether the sums of so many vectors of pixels for so many units find room in registers, beside
  /// the fewer of the two, which all of them meet, and one that passes.
  static constexpr bool fits(std::int32_t count, std::int32_t of_units) {
    return count * of_units + (std::min)(count, of_units) + 1 <= Architecture.registers;
  }

  static constexpr std::int32_t find_vectors() {
    std::int32_t found = 0;
    while (outputs > found * width && fits(found + 1, units)) {
      ++found;
    }
    return found;
  }

  static constexpr std::int32_t vectors = find_vectors();
  static constexpr std::int32_t tile = vectors * width;
  /// The last tile ends with the line: it may compute some outputs once more. A line that is
  /// shorter than a tile has lanes behind it that nobody stores.
  static constexpr std::int32_t tiles = tile > 0 ? layout::ceiling_quotient(outputs, tile) : 0;

  /// Sums that have to be at hand, or multiply-adds wait for each other: four cycles, two at once.
  static constexpr std::int32_t sums_in_flight = 8;

  /// Lines beside each other of which a tile has the outputs, where one line has too few sums.
  /// (Input gradients with sixteen lanes: 5x5 6 to 16, 14x14, 0.75 of the time, 3x3 3 to 32, 32x32,
  /// 0.85; with eight 3x3 2 to 16, 12x12, 0.72.)
  static constexpr std::int32_t find_lines() {
    std::int32_t found = 1;
    while (found < 4 && found * vectors * units < sums_in_flight &&
           fits((found + 1) * vectors, units)) {
      ++found;
    }
    return found;
  }

  static constexpr std::int32_t lines = vectors > 0 ? find_lines() : 1;

  static constexpr std::int32_t begin(std::int32_t number) {
    return (std::min)(number * tile, (std::max)(outputs - tile, 0));
  }

  /// The outputs of a line that meet a source at every tap. Where they fill vectors they are tiles
  /// of their own (`inner_tile`), and those at the rims have units as lanes (`multiply_rims`): no
  /// lane is chosen, and none computes what it need not.
  static constexpr index_range inner = Product.columns.full_outputs();
  static constexpr std::int32_t inner_length = inner.end - inner.begin;
  static constexpr std::int32_t rims = outputs - inner_length;

  /// Units whose sums for `count` vectors find room in registers, in passes of about as many.
  static constexpr std::int32_t units_at_once(std::int32_t count) {
    std::int32_t most = 1;
    while (most < units && fits(count, most + 1)) {
      ++most;
    }
    return layout::ceiling_quotient(units, layout::ceiling_quotient(units, most));
  }

  /// Multiply-adds of vectors that tiles of `count` vectors take at a tap, waiting included.
  static constexpr std::int32_t inner_cost(std::int32_t count) {
    const std::int32_t of_pass = units_at_once(count);
    std::int32_t cost = 0;
    for (std::int32_t first = 0; first < units; first += of_pass) {
      cost += (std::max)(count * (std::min)(of_pass, units - first), sums_in_flight);
    }
    return cost * layout::ceiling_quotient(inner_length, count * width);
  }

  /// Vectors of a tile of inner outputs, of which there are at least as many.
  static constexpr std::int32_t find_inner_vectors() {
    std::int32_t found = 0;
    for (std::int32_t count = 1; count <= 4 && count * width <= inner_length; ++count) {
      found = found == 0 || inner_cost(count) <= inner_cost(found) ? count : found;
    }
    return found;
  }

  static constexpr std::int32_t inner_vectors = find_inner_vectors();
  static constexpr std::int32_t inner_pixels = inner_vectors * width;
  static constexpr std::int32_t inner_tiles = inner_vectors > 0
                                                  ? layout::ceiling_quotient(inner_length,
                                                                             inner_pixels)
                                                  : 0;

  /// The last tile ends with them.
  static constexpr std::int32_t inner_begin(std::int32_t number) {
    return inner.begin + (std::min)(number * inner_pixels, inner_length - inner_pixels);
  }

  static constexpr std::int32_t inner_units = inner_vectors > 0 ? units_at_once(inner_vectors) : 0;

  /// Vectors of the units of a pixel, and how many sums all pixels at the rims have.
  static constexpr std::int32_t unit_vectors = layout::whole_vectors(units, Architecture) / width;
  static constexpr std::int32_t rim_sums = rims * unit_vectors;

  /// The output that is number `i` of those at the rims, and whether it meets a source at a tap.
  static constexpr std::int32_t rim(std::int32_t i) {
    return i < inner.begin ? i : i + inner_length;
  }

  static constexpr bool meets(std::int32_t output, std::int32_t tap) {
    const index_range outputs_met = met[static_cast<std::size_t>(tap)];
    return output >= outputs_met.begin && output < outputs_met.end;
  }

  /// Whether rims apart take fewer multiply-adds than choices at the rims of tiles, one of which is
  /// counted as half of one.
  static constexpr bool has_rims_apart() {
    if (inner_vectors == 0 || rims == 0 || rim_sums + 2 > Architecture.registers) {
      return false;
    }
    std::int32_t choices = 0;
    for (std::int32_t at = 0; at < tiles * vectors * Product.columns.taps; ++at) {
      const std::int32_t vector = at / Product.columns.taps;
      const index_range some =
          lanes_met(begin(vector / vectors), vector % vectors, at % Product.columns.taps);
      choices += some.begin > 0 || some.end < width ? 1 : 0;
    }
    // Of several channels all are added before lanes are chosen.
    const std::int32_t numbers = Product.columns.taps * Product.depth;
    const std::int32_t of_tile =
        (std::max)(vectors * units, layout::ceiling_quotient(sums_in_flight, lines));
    const std::int32_t whole = 2 * numbers * tiles * of_tile + choices * units;
    const std::int32_t apart =
        2 * numbers * (inner_cost(inner_vectors) + (std::max)(rim_sums, sums_in_flight / 2));
    return apart < whole;
  }

  /// The source that lies first in a plane, padding included, and how many there are.
  static constexpr std::int32_t first_source =
      Product.columns.first + (std::min)(0, Product.columns.slope*(Product.columns.taps - 1));
  static constexpr std::int32_t length =
      (std::max)(outputs, tile) +
      (Product.columns.slope < 0 ? -Product.columns.slope : Product.columns.slope) *
          (Product.columns.taps - 1);
  static constexpr std::int32_t plane = layout::whole_vectors(length, Architecture);
  static constexpr std::int32_t rows = Product.rows.taps;
  static constexpr std::int32_t ring_rows = rows + lines - 1;
  static constexpr std::int64_t floats = std::int64_t{ring_rows} * Product.depth * plane;

  /// Of most lines every row of the kernel meets a row of sources: they are not searched for it.
  static constexpr index_range full_lines = Product.rows.full_outputs();

  static constexpr index_range rows_met(std::int32_t line) {
    const bool all = line >= full_lines.begin && line < full_lines.end;
    return all ? index_range{0, rows} : Product.rows.taps_at(line);
  }

  /// How many lines from `line` on go into a tile together, up to `end`: all of a tile, if each
  /// meets every row of the kernel.
  static constexpr std::int32_t lines_of_tile(std::int32_t line, std::int32_t end) {
    const bool all = line >= full_lines.begin && line + lines <= (std::min)(full_lines.end, end);
    return all && !has_rims_apart() ? lines : 1;
  }

  /// Where the ring has a row of sources, which may lie in the padding.
  static constexpr std::int32_t place_in_ring(std::int32_t row) {
    return (row % ring_rows + ring_rows) % ring_rows;
  }

  /// Where it has the row that a tap meets, if that of tap 0 has the place `first`.
  static constexpr std::int32_t place_behind(std::int32_t first, std::int32_t tap) {
    const std::int32_t place = first + Product.rows.slope * tap;
    const std::int32_t around = place < 0 ? place + ring_rows : place;
    return around < ring_rows ? around : around - ring_rows;
  }

  /// The outputs that meet a source at each tap.
  static constexpr std::array<index_range, 8> find_met() {
    std::array<index_range, 8> found = {};
    for (std::int32_t tap = 0; tap < Product.columns.taps && tap < 8; ++tap) {
      found[static_cast<std::size_t>(tap)] = Product.columns.outputs_at(tap);
    }
    return found;
  }

  static constexpr std::array<index_range, 8> met = find_met();

  /// The lanes of vector `v` of a tile from `first` on that meet a source at a tap.
  static constexpr index_range lanes_met(std::int32_t first, std::int32_t v, std::int32_t tap) {
    const index_range outputs_met = met[static_cast<std::size_t>(tap)];
    const std::int32_t begin = first + v * width;
    return {std::clamp(outputs_met.begin - begin, 0, width),
            outputs_met.end == outputs ? width : std::clamp(outputs_met.end - begin, 0, width)};
  }

  /// Of 100 lanes those that are used.
  static constexpr std::int32_t percent(std::int32_t used, std::int32_t lanes) {
    return 100 * used / lanes;
  }

  /// Whether lanes are used better by pixels than by units, and all of it is so small that what is
  /// laid out stays in the first-level cache.
  static constexpr bool suits() {
    if (Product.lanewise != 0 || Product.groups > 1 || vectors == 0 || Product.kernel_taps < 2 ||
        units > 6) {
      return false;
    }
    const bool plain = Product.columns.step == 1 && Product.rows.step == 1 &&
                       (Product.rows.slope == 1 || Product.rows.slope == -1) &&
                       Product.planes.outputs == 1 && Product.planes.taps == 1 &&
                       Product.rows.taps > 0 && Product.columns.taps > 0 &&
                       Product.columns.taps <= 8;
    const std::int32_t by_units = percent(units, layout::whole_vectors(units, Architecture));
    const std::int32_t by_pixels = percent(outputs, tiles * tile);
    return plain && floats * std::int64_t{sizeof(float)} <= 24 * 1024 &&
           lines * vectors * units >= 4 && 10 * by_pixels > 11 * by_units;
  }
};

/// The weights of the number 0 that a tap meets, of all units.
template <window_product Product, int PanelWidth>
IPU_DSL_ALWAYS_INLINE const float* weights_at(const float* w, std::int32_t row_tap,
                                              std::int32_t column_tap) {
  constexpr std::ptrdiff_t position = std::ptrdiff_t{Product.depth} * PanelWidth;
  return w + Product.first_position(0, row_tap) * position +
         Product.columns.position_of(column_tap) * position;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
