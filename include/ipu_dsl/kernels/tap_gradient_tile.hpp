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

/// The first `count` floats of a vector, all of them if there are more; zeros behind them.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector load_some(const float* from, std::int32_t count) {
  constexpr auto lanes = static_cast<std::int32_t>(Vector::size);
  if (count >= lanes) {
    return load<Vector>(from);
  }
  float floats[Vector::size] = {};
  for (std::int32_t i = 0; i < count; ++i) {
    floats[i] = from[i];
  }
  return load<Vector>(floats);
}

/// Writes them, and nothing behind them.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE void store_some(float* to, const Vector& given, std::int32_t count) {
  constexpr auto lanes = static_cast<std::int32_t>(Vector::size);
  if (count >= lanes) {
    store(to, given);
    return;
  }
  float floats[Vector::size];
  store(floats, given);
  for (std::int32_t i = 0; i < count; ++i) {
    to[i] = floats[i];
  }
}

/// Of how many rows numbers stay in registers that the next column meets at the tap before: of each
/// as many as it has taps, less one, beside the sums, that of the bias and a number of d. (3x3,
/// depthwise, 64 channels: 56x56 0.94 of the time, 28x28 0.85.)
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block>
constexpr int rows_kept() {
  const bool suits = Product.lanewise != 0 && Vectors == 1 && Block.inputs == 1 && Block.taps > 1 &&
                     Product.columns.step == 1 && Product.columns.slope == 1;
  const std::int32_t left = Architecture.registers - Rows * Block.taps - 2;
  int kept = 0;
  while (suits && kept < Rows && (kept + 1) * (Block.taps - 1) <= left) {
    ++kept;
  }
  return kept;
}

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

/// What some lines of outputs add to the weights of a block of taps in `Rows` rows of the kernel,
/// `Vectors` vectors of units of which `units` are there. Each is one chain of multiply-adds that
/// goes on from `sums` over the lines and the columns of each, ascending, without those that meet
/// padding at this tap.
///   x  the row of sources that the first row of taps meets;  d  the first line, of whose columns
///   those of `Part` are added;  bias_sums  null, or where a bias goes on that is the sum of d
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block, weights_lying Lying, index_range Part>
[[gnu::noinline]] void tap_gradient_lines(const float* x, const float* d, float* sums_of_first,
                                          float* bias_sums, std::int32_t units,
                                          std::int32_t lines) noexcept {
  using lanes = vector<Architecture>;
  using places = weight_places<Product, Lying, Architecture>;
  constexpr std::int32_t taps = Block.taps;
  constexpr std::int32_t inputs = Block.inputs;
  constexpr index_range full = outputs_of_block(Product.columns, Block);
  constexpr std::ptrdiff_t next_row = std::ptrdiff_t{Product.rows.slope} * Product.read.row;
  // Whole vectors lie alike in both ways.
  constexpr bool plain = Lying == weights_lying::plain && Product.units % Architecture.lanes != 0;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Rows} * std::size_t{taps} * std::size_t{inputs}][std::size_t{Vectors}];
  const auto for_sums = [&](const auto& body) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    IPU_DSL_UNROLLED
    for (int i = 0; i < Rows * taps * inputs; ++i) {
      float* const at = sums_of_first + i / inputs / taps * places::row +
                        i / inputs % taps * places::tap + i % inputs * places::input;
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        body(sums[i][v], at + v * width, units - v * width);
      }
    }
  };
  for_sums([](lanes& sum, const float* at, std::int32_t left) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    sum = plain ? load_some<lanes>(at, left) : load<lanes>(at);
  });
  constexpr bool with_bias = sums_bias_in_tiles<Product, Architecture>;
  lanes bias[std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    bias[v] = with_bias && bias_sums != nullptr ? load<lanes>(bias_sums + v * width) : lanes(0.0F);
  }
  const auto add_to_bias = [&](int v, const lanes& gradient) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    lanes sum = bias[v] + gradient;
    // Or g++ 12 keeps all gradients for the case that the bias is asked for.
    keep_in_register(sum);
    bias[v] = sum;
  };
  const auto add = [&](std::int32_t column, bool asks) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    lanes gradients[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      gradients[v] = load_once<lanes>(d + column * Product.written.pixel + v * width);
      if constexpr (with_bias) {
        add_to_bias(v, gradients[v]);
      }
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
          IPU_DSL_UNROLLED
          for (int input = 0; input < inputs; ++input) {
            const lanes number = met_number<Architecture, Product>(from, Block.first_input + input);
            IPU_DSL_UNROLLED
            for (int v = 0; v < Vectors; ++v) {
              lanes& sum = sums[(row * taps + tap) * inputs + input][v];
              sum = multiply_add(number, gradients[v], sum);
            }
          }
        }
      }
    }
  };
  constexpr index_range inner = common(Part, full);
  const auto add_rim = [&](auto begin, auto end) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    if constexpr (end.value - begin.value <= 4) {
      // Constants: the compiler leaves out what is not met.
      IPU_DSL_UNROLLED
      for (std::int32_t column = begin.value; column < end.value; ++column) {
        add(column, true);
      }
    } else {
#pragma GCC unroll 1
      for (std::int32_t column = begin.value; column < end.value; ++column) {
        add(column, true);
      }
    }
  };
  const auto add_line = [&]() IPU_DSL_ALWAYS_INLINE_LAMBDA {
    if constexpr (Part.begin == 0) {
      add_rim(std::integral_constant<std::int32_t, 0>(),
              std::integral_constant<std::int32_t, full.begin>());
    }
    // Where all columns are at a rim, what would be kept does not lie in the image.
    constexpr int rows_of_kept =
        inner.begin < inner.end ? rows_kept<Architecture, Product, Vectors, Rows, Block>() : 0;
    if constexpr (rows_of_kept > 0) {
      constexpr int kept = taps - 1;
      lanes numbers[std::size_t{rows_of_kept}][std::size_t{kept}];
      const auto place_of = [&](std::int32_t column, int row,
                                int tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        return x + row * next_row +
               Product.columns.source(column, Block.first + tap) * Product.read.pixel;
      };
      IPU_DSL_UNROLLED
      for (int i = 0; i < rows_of_kept * kept; ++i) {
        numbers[i / kept][i % kept] = load_once<lanes>(place_of(inner.begin, i / kept, i % kept));
      }
      // The number of tap t is kept at t + turn, around the end of what is kept.
      const auto slide = [&](std::int32_t column, int turn) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const lanes gradient = load_once<lanes>(d + column * Product.written.pixel);
        if constexpr (with_bias) {
          add_to_bias(0, gradient);
        }
        IPU_DSL_UNROLLED
        for (int row = 0; row < rows_of_kept; ++row) {
          IPU_DSL_UNROLLED
          for (int tap = 0; tap < kept; ++tap) {
            lanes& sum = sums[row * taps + tap][0];
            sum = multiply_add(numbers[row][(tap + turn) % kept], gradient, sum);
          }
          lanes& newest = numbers[row][turn % kept];
          newest = load_once<lanes>(place_of(column, row, kept));
          lanes& sum = sums[row * taps + kept][0];
          sum = multiply_add(newest, gradient, sum);
        }
        const float* source = place_of(column, rows_of_kept, 0);
        // Or g++ 12 keeps the others' numbers as well, in more registers than there are.
        asm("" : "+r"(source));
        IPU_DSL_UNROLLED
        for (int i = 0; i < (Rows - rows_of_kept) * taps; ++i) {
          const float* const from = source + i / taps * next_row + i % taps * Product.read.pixel;
          lanes& sum = sums[rows_of_kept * taps + i][0];
          sum = multiply_add(load<lanes>(from), gradient, sum);
        }
      };
      std::int32_t column = inner.begin;
#pragma GCC unroll 1
      for (; column + kept <= inner.end; column += kept) {
        IPU_DSL_UNROLLED
        for (int turn = 0; turn < kept; ++turn) {
          slide(column + turn, turn);
        }
      }
      IPU_DSL_UNROLLED
      for (int turn = 0; turn < kept; ++turn) {
        if (column + turn < inner.end) {
          slide(column + turn, turn);
        }
      }
    } else {
#pragma GCC unroll 1
      for (std::int32_t column = inner.begin; column < inner.end; ++column) {
        add(column, false);
      }
    }
    if constexpr (Part.end == Product.columns.outputs) {
      add_rim(std::integral_constant<std::int32_t, full.end>(),
              std::integral_constant<std::int32_t, Product.columns.outputs>());
    }
  };
#pragma GCC unroll 1
  for (std::int32_t line = 0; line < lines; ++line) {
    add_line();
    x += Product.rows.step * Product.read.row;
    d += Product.written.row;
  }
  for_sums([](const lanes& sum, float* at, std::int32_t left) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    if constexpr (plain) {
      store_some(at, sum, left);
    } else {
      store(at, sum);
    }
  });
  if (with_bias && bias_sums != nullptr) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      store(bias_sums + v * width, bias[v]);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
