// SPDX-License-Identifier: MIT
// The gradients of weights and bias of a product over windows, line by line of the outputs and of
// several taps at once: of a depthwise convolution, of groups of channels by lanes, of few
// channels.
// Over 300 lines: one line's tile, and how weights are cut for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_copies.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
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

/// How the weights lie of which a gradient is made: in panels of [taps, depth, units], or one row
/// of units behind the other without padding.
enum class weights_lying { in_panels, plain };

/// How many sums a tile of such a gradient keeps in registers, for each of its vectors.
constexpr std::int32_t sums_of_taps(layout::architecture target, int vectors) {
  return (target.registers >= 32 ? 25 : target.registers - 4) / vectors;
}

/// How many vectors of units are computed together. What all units read is loaded for each vector:
/// for a single one there are as many loads as multiply-adds. Two of them always pay with 16
/// registers (AVX2: 3x3 3 to 32 0.86 of the time, 5x5 1 to 16 0.79, causal 3 1 to 16 0.77); with 32
/// where they hold no more than a row of the kernel for one (AVX-512: 7x7 3 to 64 0.73; 3x3 3 to
/// 32, of which they hold two rows, 1.06).
template <window_product Product, layout::architecture Architecture>
constexpr int vectors_of_taps() {
  const std::int32_t vectors = layout::row_stride(Product.units, Architecture) / Architecture.lanes;
  const std::int32_t of_panel =
      layout::panel_width(Product.units, Architecture) / Architecture.lanes;
  const bool pairs = Product.lanewise == 0 && vectors % 2 == 0 && of_panel % 2 == 0;
  const bool long_rows = Product.kernel_columns * Product.depth > sums_of_taps(Architecture, 2);
  return pairs && (long_rows || Architecture.registers < 32) ? 2 : 1;
}

/// Which taps a tile has: of one row of the kernel, `inputs` numbers of each. By lanes each unit
/// reads a number of its own, otherwise all of them read the same.
struct tap_block {
  std::int32_t first;
  std::int32_t taps;
  std::int32_t inputs;
  std::int32_t first_input = 0;
};

/// The outputs of a line that meet a source at all taps of a block. Sources ascend with taps.
constexpr index_range outputs_of_block(const window_axis& columns, const tap_block& block) {
  const index_range at_first = columns.outputs_at(block.first);
  const index_range at_last = columns.outputs_at(block.first + block.taps - 1);
  const bool any = at_first.begin < at_last.end && at_last.begin < at_last.end;
  return any ? index_range{at_first.begin, at_last.end} : index_range{0, 0};
}

/// From a weight to its neighbours, in floats.
struct weight_distances {
  std::ptrdiff_t row;
  std::ptrdiff_t tap;
  std::ptrdiff_t input;
};

/// Whether numbers stay in registers that the next column meets at the tap before: of each row as
/// many as it has taps, less one, beside the sums and a number of d. (3x3, depthwise, 64 channels:
/// 56x56 0.94 of the time, 28x28 0.85.)
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block>
constexpr bool keeps_numbers() {
  constexpr std::int32_t held = Rows * (2 * Block.taps - 1) + 1;
  return Product.lanewise != 0 && Vectors == 1 && Block.inputs == 1 && Block.taps > 1 &&
         Product.columns.step == 1 && Product.columns.slope == 1 && held <= Architecture.registers;
}

/// What one line of outputs adds to the weights of a block of taps in `Rows` rows of the kernel,
/// `Vectors` vectors of units of which `units` are there. Each is one chain of multiply-adds that
/// goes on from `sums` over the columns of the line, ascending, without those that meet padding at
/// this tap.
///   x  the row of sources that the first row of taps meets;  d  the line
template <layout::architecture Architecture, window_product Product, int Vectors, int Rows,
          tap_block Block, weights_lying Lying>
[[gnu::noinline]] void tap_gradient_line(const float* x, const float* d, float* sums_of_first,
                                         const weight_distances& apart,
                                         std::int32_t units) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t taps = Block.taps;
  constexpr std::int32_t inputs = Block.inputs;
  constexpr index_range full = outputs_of_block(Product.columns, Block);
  constexpr std::ptrdiff_t next_row = std::ptrdiff_t{Product.rows.slope} * Product.read.row;
  constexpr bool plain = Lying == weights_lying::plain;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Rows} * std::size_t{taps} * std::size_t{inputs}][std::size_t{Vectors}];
  const auto place = [&](int row, int tap, int input) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return sums_of_first + row * apart.row + tap * apart.tap + input * apart.input;
  };
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int tap = 0; tap < taps; ++tap) {
      IPU_DSL_UNROLLED
      for (int input = 0; input < inputs; ++input) {
        const float* const from = place(row, tap, input);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[(row * taps + tap) * inputs + input][v] =
              plain ? load_some<lanes>(from + v * width, units - v * width)
                    : load<lanes>(from + v * width);
        }
      }
    }
  }
  const auto add = [&](std::int32_t column, bool asks) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    lanes gradients[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      gradients[v] = load_once<lanes>(d + column * Product.written.pixel + v * width);
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
            const lanes number =
                Product.lanewise != 0 ? load<lanes>(from) : lanes(from[Block.first_input + input]);
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
  if constexpr (full.begin <= 4) {
    // Constants: the compiler leaves out what is not met.
    IPU_DSL_UNROLLED
    for (std::int32_t column = 0; column < full.begin; ++column) {
      add(column, true);
    }
  } else {
#pragma GCC unroll 1
    for (std::int32_t column = 0; column < full.begin; ++column) {
      add(column, true);
    }
  }
  if constexpr (keeps_numbers<Architecture, Product, Vectors, Rows, Block>()) {
    constexpr int kept = taps - 1;
    lanes numbers[std::size_t{Rows}][std::size_t{kept}];
    const auto number_at = [&](std::int32_t column, int row, int tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      return load_once<lanes>(x + row * next_row +
                              Product.columns.source(column, Block.first + tap) *
                                  Product.read.pixel);
    };
    IPU_DSL_UNROLLED
    for (int i = 0; i < Rows * kept; ++i) {
      numbers[i / kept][i % kept] = number_at(full.begin, i / kept, i % kept);
    }
    // The number of tap t is kept at t + turn, around the end of what is kept.
    const auto slide = [&](std::int32_t column, int turn) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const lanes gradient = load_once<lanes>(d + column * Product.written.pixel);
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        IPU_DSL_UNROLLED
        for (int tap = 0; tap < kept; ++tap) {
          lanes& sum = sums[row * taps + tap][0];
          sum = multiply_add(numbers[row][(tap + turn) % kept], gradient, sum);
        }
        lanes& newest = numbers[row][turn % kept];
        newest = number_at(column, row, kept);
        lanes& sum = sums[row * taps + kept][0];
        sum = multiply_add(newest, gradient, sum);
      }
    };
    std::int32_t column = full.begin;
#pragma GCC unroll 1
    for (; column + kept <= full.end; column += kept) {
      IPU_DSL_UNROLLED
      for (int turn = 0; turn < kept; ++turn) {
        slide(column + turn, turn);
      }
    }
    IPU_DSL_UNROLLED
    for (int turn = 0; turn < kept; ++turn) {
      if (column + turn < full.end) {
        slide(column + turn, turn);
      }
    }
  } else {
#pragma GCC unroll 1
    for (std::int32_t column = full.begin; column < full.end; ++column) {
      add(column, false);
    }
  }
  if constexpr (Product.columns.outputs - full.end <= 4) {
    IPU_DSL_UNROLLED
    for (std::int32_t column = full.end; column < Product.columns.outputs; ++column) {
      add(column, true);
    }
  } else {
#pragma GCC unroll 1
    for (std::int32_t column = full.end; column < Product.columns.outputs; ++column) {
      add(column, true);
    }
  }
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int tap = 0; tap < taps; ++tap) {
      IPU_DSL_UNROLLED
      for (int input = 0; input < inputs; ++input) {
        float* const to = place(row, tap, input);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          const lanes sum = sums[(row * taps + tap) * inputs + input][v];
          if constexpr (plain) {
            store_some(to + v * width, sum, units - v * width);
          } else {
            store(to + v * width, sum);
          }
        }
      }
    }
  }
}

/// How the weights of a row of the kernel are cut into blocks of taps, and how many rows go
/// together.
template <window_product Product, layout::architecture Architecture>
struct tap_blocks {
  static constexpr int vectors = vectors_of_taps<Product, Architecture>();
  static constexpr std::int32_t most = sums_of_taps(Architecture, vectors);
  static constexpr std::int32_t inputs = Product.lanewise != 0 ? 1 : Product.depth;
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

/// Where the weights lie of which a gradient is made.
template <window_product Product, weights_lying Lying, layout::architecture Architecture>
struct weight_places {
  static constexpr bool plain = Lying == weights_lying::plain;
  static constexpr std::int32_t width = layout::panel_width(Product.units, Architecture);
  static constexpr std::ptrdiff_t input = plain ? Product.units : width;
  static constexpr std::ptrdiff_t tap = Product.depth * input;
  static constexpr std::ptrdiff_t row = Product.kernel_columns * tap;

  /// Of the first weight of unit `n`.
  static constexpr std::ptrdiff_t unit(std::int32_t n) {
    return plain ? n
                 : std::ptrdiff_t{n / width} * Product.kernel_taps * Product.depth * width +
                       n % width;
  }
};

/// Calls `visit(place)` for the weights of some rows of the kernel that its vectors of units have,
/// of all numbers or of number `k` alone.
template <typename Places, window_product Product, typename Visit>
IPU_DSL_ALWAYS_INLINE void for_weights(std::int32_t n, const index_range& rows, std::int32_t k,
                                       const Visit& visit) {
  const index_range inputs =
      Product.lanewise != 0 ? index_range{k, k + 1} : index_range{0, Product.depth};
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    for (std::int32_t tap = 0; tap < Product.kernel_columns; ++tap) {
      for (std::int32_t input = inputs.begin; input < inputs.end; ++input) {
        visit(Places::unit(n) + row * Places::row + tap * Places::tap + input * Places::input);
      }
    }
  }
}

/// What one line adds to some rows of the kernel, which lie in one plane of it.
template <layout::architecture Architecture, window_product Product, weights_lying Lying>
IPU_DSL_ALWAYS_INLINE void tap_gradient_rows(const float* x, const float* d, float* sums,
                                             std::int32_t line, std::int32_t plane_tap,
                                             const index_range& rows, std::int32_t units) {
  using places = weight_places<Product, Lying, Architecture>;
  using blocks = tap_blocks<Product, Architecture>;
  constexpr weight_distances apart{places::row, places::tap, places::input};
  const auto some = [&](auto together, std::int32_t row) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int rows_together = decltype(together)::value;
    const float* const source = x + Product.source_row(line, plane_tap, row);
    float* const to = sums + (plane_tap * Product.rows.taps + row) * places::row;
    const auto all =
        [&]<std::int32_t... Numbers>(std::integer_sequence<std::int32_t, Numbers...>)
            IPU_DSL_ALWAYS_INLINE_LAMBDA {
              (tap_gradient_line<Architecture, Product, blocks::vectors, rows_together,
                                 blocks::block(Numbers), Lying>(
                   source, d, to + blocks::block(Numbers).first * places::tap, apart, units),
               ...);
            };
    all(std::make_integer_sequence<std::int32_t, blocks::count>());
  };
  std::int32_t row = rows.begin;
  for (; row + blocks::rows <= rows.end; row += blocks::rows) {
    some(std::integral_constant<int, blocks::rows>(), row);
  }
  for (; row < rows.end; ++row) {
    some(std::integral_constant<int, 1>(), row);
  }
}

/// What all lines add to some rows of the kernel, of the units that go together in copies: those
/// from `n` on.
template <layout::architecture Architecture, window_product Product, weights_lying Lying>
void tap_gradient_of_copies(const float* x, const float* d, float* sums, std::int32_t n,
                            const index_range& rows) {
  using places = weight_places<Product, Lying, Architecture>;
  using line_copies = line_copies<Architecture, Product>;
  line_copies copies;
  for (std::int32_t sample = 0; sample < Product.samples; ++sample) {
    const float* const image = x + sample * Product.read.sample + n;
    const float* const outputs = d + sample * Product.written.sample + n;
    blocks_of(Product.rows.outputs, line_copies::lines, [&](const index_range& block) {
      copies.take(image, outputs, block);
      for (std::int32_t line = block.begin; line < block.end; ++line) {
        const index_range met = Product.taps_met(line).rows;
        const index_range both = common(rows, met);
        const std::int32_t number = line - block.begin;
        for (std::int32_t v = 0; v < line_copies::units; v += Architecture.lanes) {
          tap_gradient_rows<Architecture, line_copies::product, Lying>(
              copies.image() + v, copies.outputs(number) + v, sums + places::unit(n + v), number, 0,
              both, Product.units - n - v);
        }
      }
    });
  }
}

/// The gradients of w and bias of a product over windows with a `forward_axis` along both axes, as
/// `gradient_of_windows` has them: each element is one chain of multiply-adds over ascending
/// samples, lines and columns. A plain kernel is not updated.
template <window_product Product, weights_lying Lying, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void gradient_of_taps(const float* __restrict x, const float* __restrict d,
                      const gradient_target<Rule>& kernel, const gradient_target<Rule>& bias,
                      const gradient_step<Rule>& step, const grain& part = {}) noexcept {
  static_assert(Lying == weights_lying::in_panels || std::is_same_v<Rule, no_update>);
  using lanes = vector<Architecture>;
  using places = weight_places<Product, Lying, Architecture>;
  constexpr std::int32_t width = Architecture.lanes;
  constexpr std::ptrdiff_t deeper = layout::row_stride(Product.units, Architecture);
  constexpr int together = tap_blocks<Product, Architecture>::vectors;
  constexpr std::int32_t vectors = deeper / width / together;
  // By lanes each number of the depth is a product of its own.
  constexpr std::int32_t products = Product.lanewise != 0 ? Product.depth : 1;
  constexpr std::int32_t rows_of_kernel = Product.kernel_taps / Product.kernel_columns;
  // Vectors that are dealt out together.
  constexpr bool copies = copies_lines<Architecture, Product>();
  constexpr std::int32_t dealt = copies ? line_copies<Architecture, Product>::vectors : 1;
  const auto of_groups = [&](const auto& body) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    columns_of_grain(vectors / dealt * products, rows_of_kernel, part,
                     [&](std::int32_t column, const index_range& rows)
                         IPU_DSL_ALWAYS_INLINE_LAMBDA {
                           body(column / products * dealt, column % products, rows);
                         });
  };
  const auto of_mine = [&](const auto& body) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    of_groups([&](std::int32_t first, std::int32_t k, const index_range& rows)
                  IPU_DSL_ALWAYS_INLINE_LAMBDA {
                    for (std::int32_t v = first; v < first + dealt; ++v) {
                      body(v * together * width, k, rows);
                    }
                  });
  };
  if (!step.continues) {
    of_mine([&](std::int32_t n, std::int32_t k, const index_range& rows)
                IPU_DSL_ALWAYS_INLINE_LAMBDA {
                  for_weights<places, Product>(n, rows, k, [&](std::ptrdiff_t at) {
                    for (int v = 0; v < together * width; v += width) {
                      if constexpr (places::plain) {
                        store_some(kernel.sum + at + v, lanes(0.0F), Product.units - n - v);
                      } else {
                        store(kernel.sum + at + v, lanes(0.0F));
                      }
                    }
                  });
                });
  }
  if constexpr (copies) {
    of_groups([&](std::int32_t first, std::int32_t, const index_range& rows) {
      tap_gradient_of_copies<Architecture, Product, Lying>(x, d, kernel.sum, first * width, rows);
    });
  }
  for (std::int32_t number = 0; number < Product.lines(); ++number) {
    const std::int32_t sample = number / Product.lines_of_sample();
    const std::int32_t line = number % Product.lines_of_sample();
    const met_taps met = Product.taps_met(line);
    const float* const image = x + sample * Product.read.sample;
    const float* const of_line = d + sample * Product.written.sample + Product.written_line(line);
    if constexpr (!copies) {
      of_mine([&](std::int32_t n, std::int32_t k,
                  const index_range& rows) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        float* const sums = kernel.sum + places::unit(n) + k * places::input;
        const float* const from = Product.lanewise != 0 ? image + n + k * deeper : image;
        for (std::int32_t plane = met.planes.begin; plane < met.planes.end; ++plane) {
          const std::int32_t before = plane * Product.rows.taps;
          const std::int32_t first = rows.begin - before;
          const std::int32_t last = rows.end - before;
          const index_range both{first > met.rows.begin ? first : met.rows.begin,
                                 last < met.rows.end ? last : met.rows.end};
          tap_gradient_rows<Architecture, Product, Lying>(from, of_line + n, sums, line, plane,
                                                          both, Product.units - n);
        }
      });
    }
    // The bias while the line is near.
    gradient_step<Rule> of_bias = step;
    of_bias.continues = step.continues || number > 0;
    of_bias.updates = step.updates && number + 1 == Product.lines();
    gradient_of_pixels<Product.units, Rule, Architecture>(of_line, Product.columns.outputs, bias,
                                                          of_bias, part);
  }
  if constexpr (!std::is_same_v<Rule, no_update>) {
    if (step.updates) {
      of_mine([&](std::int32_t n, std::int32_t k,
                  const index_range& rows) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        for_weights<places, Product>(n, rows, k, [&](std::ptrdiff_t at) {
          for (int v = 0; v < together * width; v += width) {
            finish_gradient<Rule>(kernel, at + v, load<lanes>(kernel.sum + at + v), step);
          }
        });
      });
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
