// SPDX-License-Identifier: MIT
// How gradients of the weights of several taps are cut into register tiles: which taps and columns
// go together, and where their weights lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/architecture.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/layout/panel.hpp>
#include <ipu_dsl/layout/register_tile.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How the weights lie of which a gradient is made: in panels of [taps, depth, units], or one row
/// of units behind the other without padding.
enum class weights_lying { in_panels, plain };

/// How many sums a tile of such a gradient keeps in registers, for each of its vectors.
constexpr std::int32_t sums_of_taps(layout::architecture target, int vectors) {
  return (target.registers >= 32 ? 25 : target.registers - 4) / vectors;
}

/// How many vectors of units are computed together. What all units read is loaded for each vector:
/// for a single one there are as many loads as multiply-adds (AVX2: 3x3 3 to 32 0.86 of the time,
/// 5x5 1 to 16 0.79, causal 3 1 to 16 0.77; AVX-512: 7x7 3 to 64 0.73, 3x3 3 to 32 0.91, 1 to 32
/// 0.89).
template <window_product Product, layout::architecture Architecture>
constexpr int vectors_of_taps() {
  const std::int32_t vectors = layout::row_stride(Product.units, Architecture) / Architecture.lanes;
  const std::int32_t of_panel =
      layout::panel_width(Product.units, Architecture) / Architecture.lanes;
  const bool pairs = Product.lanewise == 0 && vectors % 2 == 0 && of_panel % 2 == 0;
  return pairs ? 2 : 1;
}

/// Which taps a tile has: of one row of the kernel, `inputs` numbers of each. Of rows of numbers
/// each unit reads one of its own, otherwise all units, or those of a group, read the same.
struct tap_block {
  std::int32_t first;
  std::int32_t taps;
  std::int32_t inputs;
};

/// The outputs of a line that meet a source at all taps of a block. Sources ascend with taps.
constexpr index_range outputs_of_block(const window_axis& columns, const tap_block& block) {
  const index_range at_first = columns.outputs_at(block.first);
  const index_range at_last = columns.outputs_at(block.first + block.taps - 1);
  const bool any = at_first.begin < at_last.end && at_last.begin < at_last.end;
  return any ? index_range{at_first.begin, at_last.end} : index_range{0, 0};
}

/// Which positions of a line of sources meet some columns of outputs at a block of taps, without
/// strides and dilation.
struct sliding_positions {
  index_range all;              ///< that meet any of them
  index_range full;             ///< that meet one at every tap
  index_range outputs;          ///< the columns
  std::int32_t taps;            ///< of the block
  std::int32_t first;           ///< the position that output 0 meets at the first of them
  std::int32_t outputs_before;  ///< how many of the columns meet padding before the image

  /// Where the gradient of the output lies that a position meets at the first tap.
  constexpr std::int32_t turn(std::int32_t position) const {
    return (position - first - outputs.begin) % taps;
  }

  /// The taps at which it meets any of the columns.
  constexpr index_range taps_at(std::int32_t position) const {
    const std::int32_t output = position - first;
    return {output < outputs.end ? 0 : output - outputs.end + 1,
            (std::min)(taps, output - outputs.begin + 1)};
  }
};

/// None with strides or dilation, or where a column meets nothing at the block.
constexpr sliding_positions positions_of_block(const window_axis& columns, const tap_block& block,
                                               const index_range& outputs) {
  const std::int32_t first = columns.source(0, block.first);
  const std::int32_t behind = columns.source(outputs.end - 1, block.first + block.taps - 1) + 1;
  const std::int32_t before = -(outputs.begin + first);
  const bool beside = columns.step == 1 && columns.slope == 1;
  const bool narrow = before < block.taps && behind - columns.sources < block.taps;
  if (!beside || !narrow) {
    return {{0, 0}, {0, 0}, outputs, block.taps, first, 0};
  }
  const index_range image = {0, columns.sources};
  const std::int32_t begin = outputs.begin + first;
  const index_range all = common(image, {begin, behind});
  const index_range full = common(image, {begin + block.taps - 1, outputs.end + first});
  return {all, full, outputs, block.taps, first, (std::max)(before, 0)};
}

/// Where the weights lie of which a gradient is made.
template <window_product Product, weights_lying Lying, layout::architecture Architecture>
struct weight_places {
  static constexpr std::int32_t width = layout::panel_width(Product.units, Architecture);
  static constexpr std::ptrdiff_t input = Lying == weights_lying::plain ? Product.units : width;
  static constexpr std::ptrdiff_t tap = Product.depth * input;
  static constexpr std::ptrdiff_t row = Product.kernel_columns * tap;

  /// Of the first weight of unit `n`.
  static constexpr std::ptrdiff_t unit(std::int32_t n) {
    return Lying == weights_lying::plain
               ? n
               : std::ptrdiff_t{n / width} * Product.kernel_taps * Product.depth * width +
                     n % width;
  }
};

/// How the weights of a row of the kernel are cut into blocks of taps, and how many rows go
/// together.
template <window_product Product, layout::architecture Architecture>
struct tap_blocks {
  static constexpr int vectors = vectors_of_taps<Product, Architecture>();
  static constexpr std::int32_t most = sums_of_taps(Architecture, vectors);
  static constexpr std::int32_t inputs = Product.has_rows_of_numbers() ? 1 : Product.depth;
  static constexpr std::int32_t taps_together = most / inputs > 1 ? most / inputs : 1;
  static constexpr layout::balanced_split cut =
      layout::split_evenly(Product.kernel_columns, taps_together);
  static constexpr std::int32_t count = cut.parts();
  static constexpr std::int32_t rows_that_fit = most / (Product.kernel_columns * inputs);
  static constexpr std::int32_t rows =
      rows_that_fit < 1 ? 1
                        : (rows_that_fit < Product.rows.taps ? rows_that_fit : Product.rows.taps);

  static constexpr tap_block block(std::int32_t number) {
    return {cut.begin(number), cut.begin(number + 1) - cut.begin(number), inputs};
  }
};

/// Whether the weights of one tap are too few for a tile of their own: their sums wait for
/// themselves, and what is read is read again for each tap.
template <window_product Product, layout::architecture Architecture>
inline constexpr bool has_few_weights_of_tap = Product.kernel_columns > 1 && Product.depth <= 4;

/// Whether the tiles of the first row of the kernel sum up the bias as well: of each unit they load
/// all that its bias has a sum of. Where all units read the same numbers, registers have to be left
/// for it. (3x3, depthwise, 64 channels: 56x56 0.92 of the time, 14x14 0.84.)
template <window_product Product, layout::architecture Architecture>
inline constexpr bool sums_bias_in_tiles =
    Product.planes.taps == 1 &&
    (Product.lanewise != 0 ? Product.depth == 1 || Product.reads_groups()
                           : Architecture.registers >= 32);

/// Whether gradients stay in registers until they have met the numbers of all taps: of as many
/// columns as there are taps, beside the sums, that of the bias and a number. Of sixteen registers
/// g++ 12 needs one for itself. (3x3, depthwise, AVX2, against numbers of two rows that stay: 96
/// channels, 14x14, 0.85 of the time; 64, 28x28, 0.97. Where gradients have no room, 5x5 and 7x7,
/// numbers of one row could stay instead: 0.93 to 0.95.)
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block>
constexpr bool keeps_gradients() {
  const int others = Architecture.registers >= 32 ? 2 : 3;
  return Product.lanewise != 0 && Vectors == 1 && Block.inputs == 1 && Block.taps > 1 &&
         (Rows + 1) * Block.taps + others <= Architecture.registers;
}

/// The parts of a line that all vectors of units walk one after the other, by lanes: so many
/// columns that what a vector meets, half a line of the cache of every pixel, is still there for
/// the next one's half. Pixels of 64 channels find room in 16 of the 64 places of a first-level
/// cache of eight ways. (3x3, 56x56, 64 channels: 0.86 of the time.) With sixteen lanes a vector is
/// a line.
template <layout::architecture Architecture, window_product Product>
struct line_parts {
  static constexpr std::int32_t outputs = Product.columns.outputs;

  static constexpr std::int32_t columns = [] {
    constexpr std::ptrdiff_t floats_of_way = 1024;
    constexpr std::ptrdiff_t places = (std::min)(
        floats_of_way / std::gcd(floats_of_way, Product.read.pixel), floats_of_way / line_floats);
    constexpr std::ptrdiff_t lines_of_cache = 7 * places;
    constexpr std::ptrdiff_t rows = tap_blocks<Product, Architecture>::rows + 1;
    // Of many rows not one column may find room.
    constexpr auto most =
        static_cast<std::int32_t>((std::max)(lines_of_cache / rows, std::ptrdiff_t{1}));
    const std::int32_t parts = layout::ceiling_quotient(outputs, most);
    const std::int32_t even = layout::ceiling_quotient(outputs, parts);
    const index_range full = Product.columns.full_outputs();
    const bool halves = Product.lanewise != 0 && Architecture.lanes == 8;
    // Parts between the first and the last are alike: they meet all taps.
    const bool rims_apart = full.begin <= even && full.end >= (parts - 1) * even;
    return halves && rims_apart ? even : outputs;
  }();

  static constexpr std::int32_t count = layout::ceiling_quotient(outputs, columns);
  static constexpr index_range first = {0, columns};
  static constexpr index_range second = {columns, 2 * columns};
  static constexpr index_range last = {(count - 1) * columns, outputs};
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
