// SPDX-License-Identifier: MIT
// What a line of outputs adds to the weights of several taps: register tiles of the gradients of a
// depthwise convolution, of groups of channels by lanes, of few channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
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

  /// Adds a line; taps in the padding are left out. Meanwhile `copier` copies the pixels of another
  /// one.
  template <typename Copier>
  IPU_DSL_ALWAYS_INLINE void add_line(const float* x, const float* d, Copier& copier) {
    if constexpr (slides) {
      add_sliding(x, d, copier);
    } else {
      copier.copy_pixels({0, Product.columns.sources});
      add_columns(x, d);
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
  static constexpr sliding_positions positions = positions_of_block(Product.columns, Block, Part);
  static constexpr bool slides = positions.full.begin < positions.full.end &&
                                 keeps_gradients<Architecture, Product, Vectors, Rows, Block>();

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
    const lanes gradient = load_once<lanes>(d + column * Product.written.pixel + v * width);
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
      const lanes number = met_number<Architecture, Product>(from, input);
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        lanes& sum = sums_[tap * inputs + input][v];
        sum = multiply_add(number, gradients[v], sum);
      }
    }
  }

  IPU_DSL_ALWAYS_INLINE void add_columns(const float* x, const float* d) {
    if constexpr (Part.begin == 0) {
      add_rim<index_range{0, full.begin}>(x, d);
    }
#pragma GCC unroll 1
    for (std::int32_t column = inner.begin; column < inner.end; ++column) {
      add_column(x, d, column, false);
    }
    if constexpr (Part.end == Product.columns.outputs) {
      add_rim<index_range{full.end, Product.columns.outputs}>(x, d);
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

  /// Gradients that stay in registers until they have met the numbers of all taps: that of output
  /// Part.begin + i lies at i, around the end of them.
  using kept_gradients = lanes[std::size_t{taps}];

  /// All columns of a line, rims included, whose numbers and gradients are loaded once: from
  /// position to position of the sources, each of which meets outputs beside each other.
  template <typename Copier>
  IPU_DSL_ALWAYS_INLINE void add_sliding(const float* x, const float* d, Copier& copier) {
    constexpr sliding_positions at = positions;
    kept_gradients gradients;
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < at.outputs_before; ++i) {
      gradients[i] = take_gradient(d, Part.begin + i, 0);
    }
    IPU_DSL_UNROLLED
    for (std::int32_t position = at.all.begin; position < at.full.begin; ++position) {
      add_position(x, d, position, at.turn(position), at.taps_at(position), gradients);
    }
    std::int32_t position = at.full.begin;
#pragma GCC unroll 1
    for (; position + taps <= at.full.end; position += taps) {
      IPU_DSL_UNROLLED
      for (std::int32_t i = 0; i < taps; ++i) {
        add_position(x, d, position + i, at.turn(at.full.begin + i), {0, taps}, gradients);
        copier.copy_pixel(position + i);
      }
    }
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < (at.full.end - at.full.begin) % taps; ++i) {
      add_position(x, d, position + i, at.turn(at.full.begin + i), {0, taps}, gradients);
      copier.copy_pixel(position + i);
    }
    IPU_DSL_UNROLLED
    for (position = at.full.end; position < at.all.end; ++position) {
      add_position(x, d, position, at.turn(position), at.taps_at(position), gradients);
    }
    copier.copy_pixels({0, at.full.begin});
    copier.copy_pixels({at.full.end, Product.columns.sources});
  }

  /// What the numbers of a position of the sources add at some taps of each row. The output that it
  /// meets at the first of all taps has its gradient at `turn`.
  IPU_DSL_ALWAYS_INLINE void add_position(const float* x, const float* d, std::int32_t position,
                                          std::int32_t turn, const index_range& met,
                                          kept_gradients& gradients) {
    if (met.begin == 0) {
      gradients[turn] = take_gradient(d, position - positions.first, 0);
    }
    const float* const from = x + position * Product.read.pixel;
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      const lanes number = load_once<lanes>(from + row * next_row);
      IPU_DSL_UNROLLED
      for (std::int32_t tap = met.begin; tap < met.end; ++tap) {
        lanes& sum = sums_[row * taps + tap][0];
        sum = multiply_add(number, gradients[(turn + taps - tap) % taps], sum);
      }
    }
  }
};

/// What some lines of outputs add to the weights of a block of taps in `Rows` rows of the kernel,
/// `Vectors` vectors of units of which `units` are there: chains that go on from `sums` over the
/// lines and the columns of each, ascending.
///   x  the row of sources that the first row of taps meets;  d  the first line, of whose columns
///   those of `Part` are added;  bias_sums  null, or where a bias goes on that is the sum of d;
///   copier  copies meanwhile what each of them lets it
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block, weights_lying Lying, index_range Part, typename Copier>
[[gnu::noinline]] void tap_gradient_lines(const float* x, const float* d, float* sums_of_first,
                                          float* bias_sums, std::int32_t units, std::int32_t lines,
                                          Copier copier) noexcept {
  tap_gradient_tile<Architecture, Product, Vectors, Rows, Block, Lying, Part> tile;
  tile.read(sums_of_first, bias_sums, units);
#pragma GCC unroll 1
  for (std::int32_t line = 0; line < lines; ++line) {
    tile.add_line(x, d, copier);
    copier.next_line();
    x += Product.rows.step * Product.read.row;
    d += Product.written.row;
  }
  tile.write(sums_of_first, bias_sums, units);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
