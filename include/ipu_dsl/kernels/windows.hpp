// SPDX-License-Identifier: MIT
// Which positions of an image meet which outputs at which taps of a kernel, along one axis and in
// whole products over windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A kernel that walks along one axis of an image.
struct window {
  std::int32_t inputs;        ///< positions of the image
  std::int32_t outputs;       ///< places of the kernel
  std::int32_t taps;          ///< positions of the kernel
  std::int32_t stride;        ///< from one place to the next
  std::int32_t padding;       ///< positions before the image, in which nothing is
  std::int32_t dilation = 1;  ///< from a position that a tap meets to that of the next
};

/// A product over windows along one axis: output o meets at tap t the source
/// step * o + first + slope * t, if there is such. Tap t is position first_tap + tap_step * t of
/// the kernel. Forward, outputs are places of the kernel and sources the image; for the gradient of
/// the image it is the other way round.
struct window_axis {
  std::int32_t outputs;
  std::int32_t sources;
  std::int32_t taps;
  std::int32_t step;
  std::int32_t first;
  std::int32_t slope;
  std::int32_t first_tap;
  std::int32_t tap_step;

  constexpr std::int32_t source(std::int32_t output, std::int32_t tap) const {
    return step * output + first + slope * tap;
  }

  constexpr std::int32_t position_of(std::int32_t tap) const { return first_tap + tap_step * tap; }

  constexpr bool meets(std::int32_t output, std::int32_t tap) const {
    return source(output, tap) >= 0 && source(output, tap) < sources;
  }

  /// Whether there is one tap, at which every output meets the source of its own number.
  constexpr bool meets_one_to_one() const {
    return taps == 1 && step == 1 && first == 0 && outputs == sources;
  }

  /// The taps at which an output meets a source: they lie beside each other.
  constexpr index_range taps_at(std::int32_t output) const {
    index_range found = {0, taps};
    while (found.begin < found.end && !meets(output, found.begin)) {
      ++found.begin;
    }
    while (found.begin < found.end && !meets(output, found.end - 1)) {
      --found.end;
    }
    return found;
  }

  /// The outputs that meet a source at a tap.
  constexpr index_range outputs_at(std::int32_t tap) const {
    index_range found = {0, outputs};
    while (found.begin < found.end && !meets(found.begin, tap)) {
      ++found.begin;
    }
    while (found.begin < found.end && !meets(found.end - 1, tap)) {
      --found.end;
    }
    return found;
  }

  /// The outputs that meet a source at every tap; at 0 if there are none.
  constexpr index_range full_outputs() const {
    index_range found = {0, outputs};
    for (std::int32_t tap = 0; tap < taps; ++tap) {
      const index_range met = outputs_at(tap);
      found.begin = met.begin > found.begin ? met.begin : found.begin;
      found.end = met.end < found.end ? met.end : found.end;
    }
    return found.begin < found.end ? found : index_range{0, 0};
  }
};

/// Of a forward pass.
constexpr window_axis forward_axis(const window& along) {
  return {.outputs = along.outputs,
          .sources = along.inputs,
          .taps = along.taps,
          .step = along.stride,
          .first = -along.padding,
          .slope = along.dilation,
          .first_tap = 0,
          .tap_step = 1};
}

/// Of the gradient of the image, for the positions phase, phase + stride, ...: those between them
/// meet other taps. Stride or dilation is 1.
constexpr window_axis gradient_axis(const window& along, std::int32_t phase) {
  const std::int32_t first_tap = (phase + along.padding) % along.stride;
  const std::int32_t behind = along.inputs - phase;
  const std::int32_t taps = along.taps - first_tap;
  return {.outputs = behind > 0 ? layout::ceiling_quotient(behind, along.stride) : 0,
          .sources = along.outputs,
          .taps = taps > 0 ? layout::ceiling_quotient(taps, along.stride) : 0,
          .step = 1,
          .first = (phase + along.padding - first_tap) / along.stride,
          .slope = -along.dilation,
          .first_tap = first_tap,
          .tap_step = along.stride};
}

/// Distances between neighbours, in floats.
struct image_strides {
  std::ptrdiff_t sample;
  std::ptrdiff_t row;
  std::ptrdiff_t pixel;
  std::ptrdiff_t plane = 0;  ///< of images of one plane it says nothing
};

/// Of an image of one plane.
inline constexpr window_axis single_plane{1, 1, 1, 1, 0, 1, 0, 1};

/// The rows of a kernel that a line of outputs meets: all of some planes, of each these rows.
struct met_taps {
  index_range planes;
  index_range rows;

  constexpr std::int32_t count() const {
    const bool any = planes.begin < planes.end && rows.begin < rows.end;
    return any ? (planes.end - planes.begin) * (rows.end - rows.begin) : 0;
  }

  friend constexpr bool operator==(const met_taps&, const met_taps&) = default;
};

/// How many of `rows` beside each other are one line of at most 64 pixels: as many as divide them.
constexpr std::int32_t rows_of_merged_line(std::int32_t rows, std::int32_t columns) {
  std::int32_t merged = 1;
  for (std::int32_t some = 2; some <= rows && some * columns <= 64; ++some) {
    merged = rows % some == 0 ? some : merged;
  }
  return merged;
}

/// What is read: `depth` numbers a pixel, weighted by panels of [taps, depth, units].
struct window_product {
  image_strides read;
  image_strides written;
  std::int32_t samples;
  window_axis rows;
  window_axis columns;
  std::int32_t depth;
  std::int32_t units;
  std::int32_t kernel_columns;  ///< taps of a row of the kernel
  std::int32_t kernel_taps;     ///< of the whole kernel
  window_axis planes = single_plane;
  std::int32_t kernel_rows = 1;  ///< of a plane of the kernel, where it has several
  /// Units beside each other that read `depth` numbers of their own, whole vectors of them.
  std::int32_t groups = 1;
  /// 1: each unit reads numbers of its own: of a pixel, a row of all units for each of the depth.
  /// 2 or 4: so many units beside each other read as many numbers, which lie in the same lanes.
  std::int32_t lanewise = 0;

  /// Whether each unit reads numbers of its own, in rows of all units.
  constexpr bool has_rows_of_numbers() const { return lanewise == 1; }

  /// Whether units read numbers of their group, which are repeated in its lanes.
  constexpr bool reads_groups() const { return lanewise > 1; }

  /// How many of the vectors of a panel's row have units of one group, wherever the panel lies:
  /// `vectors` of the panel, every panel begins behind a multiple of `apart`.
  constexpr std::int32_t vectors_together(std::int32_t vectors, std::int32_t apart,
                                          std::int32_t lanes) const {
    return groups == 1 ? vectors : std::gcd(std::gcd(vectors, apart), units / groups / lanes);
  }

  /// The first of the numbers that a unit reads.
  constexpr std::int32_t first_read(std::int32_t unit) const {
    return groups == 1 ? 0 : unit / (units / groups) * depth;
  }

  /// Rows of outputs, of all planes of a sample.
  constexpr std::int32_t lines_of_sample() const { return planes.outputs * rows.outputs; }

  /// The same of all samples.
  constexpr std::int32_t lines() const { return samples * lines_of_sample(); }

  /// Of a gradient with strides beyond the image some phases have none.
  constexpr bool has_outputs() const { return lines() > 0 && columns.outputs > 0; }

  /// Of one plane a line is a row: there is nothing to divide.
  constexpr std::int32_t plane_of(std::int32_t line) const {
    return planes.outputs == 1 ? 0 : line / rows.outputs;
  }

  constexpr std::int32_t row_of(std::int32_t line) const {
    return planes.outputs == 1 ? line : line % rows.outputs;
  }

  constexpr std::ptrdiff_t written_line(std::int32_t line) const {
    return plane_of(line) * written.plane + row_of(line) * written.row;
  }

  constexpr met_taps taps_met(std::int32_t line) const {
    return {planes.taps_at(plane_of(line)), rows.taps_at(row_of(line))};
  }

  /// Of the row of taps with this number among those that are met.
  constexpr std::int32_t plane_tap(const met_taps& met, std::int32_t number) const {
    const std::int32_t length = met.rows.end - met.rows.begin;
    return met.planes.begin + (planes.taps == 1 ? 0 : number / length);
  }

  constexpr std::int32_t row_tap(const met_taps& met, std::int32_t number) const {
    const std::int32_t length = met.rows.end - met.rows.begin;
    return met.rows.begin + (planes.taps == 1 ? number : number % length);
  }

  /// Whether a line meets a row of sources at a row of taps.
  constexpr bool meets(std::int32_t line, std::int32_t plane_tap, std::int32_t row_tap) const {
    return planes.meets(plane_of(line), plane_tap) && rows.meets(row_of(line), row_tap);
  }

  /// Where the row of sources begins that a line meets at a row of taps.
  constexpr std::ptrdiff_t source_row(std::int32_t line, std::int32_t plane_tap,
                                      std::int32_t row_tap) const {
    return planes.source(plane_of(line), plane_tap) * read.plane +
           rows.source(row_of(line), row_tap) * read.row;
  }

  /// The number of its first tap in the kernel.
  constexpr std::int32_t first_position(std::int32_t plane_tap, std::int32_t row_tap) const {
    const std::int32_t row = rows.position_of(row_tap);
    return (planes.position_of(plane_tap) * kernel_rows + row) * kernel_columns;
  }

  /// Whether a single tap meets every pixel, and rows lie one behind the other.
  constexpr bool is_pixel_by_matrix() const {
    const bool all_met = rows.meets_one_to_one() && columns.meets_one_to_one();
    return kernel_taps == 1 && planes.outputs == 1 && all_met && lanewise == 0 &&
           read.row == columns.sources * read.pixel &&
           written.row == columns.outputs * written.pixel;
  }

  /// The same product with longer lines where rows may be one: tiles are as large as registers
  /// allow.
  constexpr window_product with_merged_lines() const {
    window_product made = *this;
    if (is_pixel_by_matrix()) {
      const std::int32_t merged = rows_of_merged_line(rows.outputs, columns.outputs);
      made.rows.outputs /= merged;
      made.rows.sources /= merged;
      made.columns.outputs *= merged;
      made.columns.sources *= merged;
      made.read.row *= merged;
      made.written.row *= merged;
    }
    return made;
  }

  /// A single pixel against a single tap.
  constexpr bool is_row_by_matrix() const {
    return groups == 1 && lines() == 1 && columns.outputs == 1 && kernel_taps == 1 &&
           columns.meets(0, 0) && rows.meets(0, 0);
  }

  /// Whether what neighbouring taps of a row meet lies beside each other, as their weights do.
  constexpr bool joins_taps() const {
    return columns.slope == 1 && columns.tap_step == 1 && read.pixel == depth;
  }

  /// Whether some outputs of a line meet fewer taps than others.
  constexpr bool has_rims() const {
    return columns.full_outputs() != index_range{0, columns.outputs};
  }
};

// Of a template argument with padding, clang 19 may read other members than those that are named:
// it counts the members of a packed record with the paddings, those of the constant without.
static_assert(std::has_unique_object_representations_v<window_product>);

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
