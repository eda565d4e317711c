// SPDX-License-Identifier: MIT
// What a line of outputs adds to the weights of several taps: register tiles of the gradients of a
// depthwise convolution, of groups of channels by lanes, of few channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tap_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Number `input` of what a vector of units reads from there on.
template <layout::architecture Architecture, window_product Product>
IPU_DSL_ALWAYS_INLINE vector<Architecture> met_number(const float* from, std::int32_t input) {
  using lanes = vector<Architecture>;
  if constexpr (Product.reads_groups()) {
    return repeat_in_groups<Product.lanewise>(load<lanes>(from), input);
  } else if constexpr (Product.has_rows_of_numbers()) {
    return load<lanes>(from);
  } else {
    return lanes(from[input]);
  }
}

/// A register tile of such gradients: the sums of a block of taps in `Rows` rows of the kernel, for
/// `Vectors` vectors of units, and those of the bias. Each is one chain of multiply-adds. `x` is
/// the row of sources that the first row of taps meets, `d` the line of outputs, of whose columns
/// those of `Part` are added.
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block, weights_lying Lying, index_range Part>
class tap_gradient_tile {
 public:
  /// Goes on from these sums, of which `units` are there; `bias_sums` may be null.
  IPU_DSL_ALWAYS_INLINE void read(const float* sums_of_first, const float* bias_sums,
                                  std::int32_t units) {
    for_sums([&](lanes& sum, std::ptrdiff_t at, int v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      sum = plain ? load_some<lanes>(sums_of_first + at, units - v * width)
                  : load<lanes>(sums_of_first + at);
    });
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      const bool goes_on = with_bias && bias_sums != nullptr;
      bias_[v] = goes_on ? load<lanes>(bias_sums + v * width) : lanes(0.0F);
    }
  }

  /// Writes them back to where they came from.
  IPU_DSL_ALWAYS_INLINE void write(float* sums_of_first, float* bias_sums, std::int32_t units) {
    for_sums([&](const lanes& sum, std::ptrdiff_t at, int v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      if constexpr (plain) {
        store_some(sums_of_first + at, sum, units - v * width);
      } else {
        store(sums_of_first + at, sum);
      }
    });
    if (with_bias && bias_sums != nullptr) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        store(bias_sums + v * width, bias_[v]);
      }
    }
  }

  /// Adds a line, without the columns that meet padding at a tap.
  IPU_DSL_ALWAYS_INLINE void add_line(const float* x, const float* d) {
    if constexpr (Part.begin == 0) {
      add_rim<index_range{0, full.begin}>(x, d);
    }
    if constexpr (rows_that_slide > 0) {
      add_sliding(x, d);
    } else {
#pragma GCC unroll 1
      for (std::int32_t column = inner.begin; column < inner.end; ++column) {
        add_column(x, d, column, false);
      }
    }
    if constexpr (Part.end == Product.columns.outputs) {
      add_rim<index_range{full.end, Product.columns.outputs}>(x, d);
    }
  }

 private:
  using lanes = vector<Architecture>;
  using places = weight_places<Product, Lying, Architecture>;

  static constexpr int width = Architecture.lanes;
  static constexpr std::int32_t taps = Block.taps;
  static constexpr std::int32_t inputs = Block.inputs;
  static constexpr std::ptrdiff_t next_row = std::ptrdiff_t{Product.rows.slope} * Product.read.row;
  // Whole vectors lie alike in both ways.
  static constexpr bool plain = Lying == weights_lying::plain && Product.units % width != 0;
  static constexpr bool with_bias = sums_bias_in_tiles<Product, Architecture>;
  // The columns that meet a source at every tap, and those of them that are added.
  static constexpr index_range full = outputs_of_block(Product.columns, Block);
  static constexpr index_range inner = common(Part, full);
  // Where all columns are at a rim, what would be kept does not lie in the image.
  static constexpr int rows_that_slide =
      inner.begin < inner.end ? rows_kept<Architecture, Product, Vectors, Rows, Block>() : 0;

  lanes sums_[std::size_t{Rows} * std::size_t{taps} * std::size_t{inputs}][std::size_t{Vectors}];
  lanes bias_[std::size_t{Vectors}];

  /// Calls `body(sum, place, v)` for each vector of sums.
  template <typename Body>
  IPU_DSL_ALWAYS_INLINE void for_sums(const Body& body) {
    IPU_DSL_UNROLLED
    for (int i = 0; i < Rows * taps * inputs; ++i) {
      const std::ptrdiff_t at = i / inputs / taps * places::row + i / inputs % taps * places::tap +
                                i % inputs * places::input;
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        body(sums_[i][v], at + v * width, v);
      }
    }
  }

  /// Vector `v` of an output, which its bias is a sum of.
  IPU_DSL_ALWAYS_INLINE lanes take_gradient(const float* d, std::int32_t column, int v) {
    const float* const from = d + column * Product.written.pixel + v * width;
    const lanes gradient = load_once<lanes>(from);
    if constexpr (asks_for_next_line<Product>()) {
      prefetch_for_reading(from, Product.written.row);
    }
    if constexpr (with_bias) {
      lanes sum = bias_[v] + gradient;
      // Or g++ 12 keeps all gradients for the case that the bias is asked for.
      keep_in_register(sum);
      bias_[v] = sum;
    }
    return gradient;
  }

  IPU_DSL_ALWAYS_INLINE void add_column(const float* x, const float* d, std::int32_t column,
                                        bool asks) {
    lanes gradients[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      gradients[v] = take_gradient(d, column, v);
    }
    const float* source = x + Product.columns.source(column, Block.first) * Product.read.pixel;
    // Or g++ 12 keeps numbers for the columns that meet them again, in more registers than there
    // are (3x3 3 to 32 on AVX2: 0.70 of the time).
    asm("" : "+r"(source));
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      IPU_DSL_UNROLLED
      for (int tap = 0; tap < taps; ++tap) {
        if (!asks || Product.columns.meets(column, Block.first + tap)) {
          const float* const from =
              source + row * next_row + tap * (Product.columns.slope * Product.read.pixel);
          add_tap(from, row * taps + tap, gradients);
        }
      }
    }
  }

  /// What the numbers of one tap, from there on, add.
  IPU_DSL_ALWAYS_INLINE void add_tap(const float* from, int tap, const lanes* gradients) {
    IPU_DSL_UNROLLED
    for (int input = 0; input < inputs; ++input) {
      const lanes number = met_number<Architecture, Product>(from, Block.first_input + input);
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        lanes& sum = sums_[tap * inputs + input][v];
        sum = multiply_add(number, gradients[v], sum);
      }
    }
  }

  template <index_range Rim>
  IPU_DSL_ALWAYS_INLINE void add_rim(const float* x, const float* d) {
    if constexpr (Rim.end - Rim.begin <= 4) {
      // Constants: the compiler leaves out what is not met.
      IPU_DSL_UNROLLED
      for (std::int32_t column = Rim.begin; column < Rim.end; ++column) {
        add_column(x, d, column, true);
      }
    } else {
#pragma GCC unroll 1
      for (std::int32_t column = Rim.begin; column < Rim.end; ++column) {
        add_column(x, d, column, true);
      }
    }
  }

  /// Numbers that stay in registers, of each row those of all taps but the last. That of tap t lies
  /// at t + turn, around the end of them. One more of each, since there is no array of none.
  static constexpr int kept = taps - 1;
  using kept_numbers = lanes[std::size_t{rows_that_slide} + 1][std::size_t{kept} + 1];

  IPU_DSL_ALWAYS_INLINE static const float* place_of(const float* x, std::int32_t column, int row,
                                                     int tap) {
    return x + row * next_row +
           Product.columns.source(column, Block.first + tap) * Product.read.pixel;
  }

  /// The inner columns of a line, whose next numbers are loaded once for all taps of a row.
  IPU_DSL_ALWAYS_INLINE void add_sliding(const float* x, const float* d) {
    kept_numbers numbers;
    IPU_DSL_UNROLLED
    for (int i = 0; i < rows_that_slide * kept; ++i) {
      numbers[i / kept][i % kept] = load_once<lanes>(place_of(x, inner.begin, i / kept, i % kept));
    }
    std::int32_t column = inner.begin;
#pragma GCC unroll 1
    for (; column + kept <= inner.end; column += kept) {
      IPU_DSL_UNROLLED
      for (int turn = 0; turn < kept; ++turn) {
        slide(x, d, column + turn, turn, numbers);
      }
    }
    IPU_DSL_UNROLLED
    for (int turn = 0; turn < kept; ++turn) {
      if (column + turn < inner.end) {
        slide(x, d, column + turn, turn, numbers);
      }
    }
  }

  IPU_DSL_ALWAYS_INLINE void slide(const float* x, const float* d, std::int32_t column, int turn,
                                   kept_numbers& numbers) {
    const lanes gradient = take_gradient(d, column, 0);
    IPU_DSL_UNROLLED
    for (int row = 0; row < rows_that_slide; ++row) {
      IPU_DSL_UNROLLED
      for (int tap = 0; tap < kept; ++tap) {
        lanes& sum = sums_[row * taps + tap][0];
        sum = multiply_add(numbers[row][(tap + turn) % kept], gradient, sum);
      }
      lanes& newest = numbers[row][turn % kept];
      newest = load_once<lanes>(place_of(x, column, row, kept));
      lanes& sum = sums_[row * taps + kept][0];
      sum = multiply_add(newest, gradient, sum);
    }
    const float* source = place_of(x, column, rows_that_slide, 0);
    // Or g++ 12 keeps the others' numbers as well, in more registers than there are.
    asm("" : "+r"(source));
    IPU_DSL_UNROLLED
    for (int i = 0; i < (Rows - rows_that_slide) * taps; ++i) {
      const float* const from = source + i / taps * next_row + i % taps * Product.read.pixel;
      lanes& sum = sums_[rows_that_slide * taps + i][0];
      sum = multiply_add(load<lanes>(from), gradient, sum);
    }
  }
};

/// What some lines of outputs add to the weights of a block of taps in `Rows` rows of the kernel,
/// `Vectors` vectors of units of which `units` are there: chains that go on from `sums` over the
/// lines and the columns of each, ascending.
///   x  the row of sources that the first row of taps meets;  d  the first line, of whose columns
///   those of `Part` are added;  bias_sums  null, or where a bias goes on that is the sum of d
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block, weights_lying Lying, index_range Part>
[[gnu::noinline]] void tap_gradient_lines(const float* x, const float* d, float* sums_of_first,
                                          float* bias_sums, std::int32_t units,
                                          std::int32_t lines) noexcept {
  tap_gradient_tile<Architecture, Product, Vectors, Rows, Block, Lying, Part> tile;
  tile.read(sums_of_first, bias_sums, units);
#pragma GCC unroll 1
  for (std::int32_t line = 0; line < lines; ++line) {
    tile.add_line(x, d);
    x += Product.rows.step * Product.read.row;
    d += Product.written.row;
  }
  tile.write(sums_of_first, bias_sums, units);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
