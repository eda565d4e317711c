// SPDX-License-Identifier: MIT
// The gradient of the weights of a row of taps of a product over windows, for a single vector of
// units: what is read of a source is added at all taps that meet it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_runs.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_blocks.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How many numbers of a source a tile has sums of, at each of `taps` taps: as many as find room in
/// registers beside an output for each tap and a number.
constexpr std::int32_t inputs_of_row_tile(std::int32_t taps, layout::architecture target) {
  return (target.registers - taps - 1) / taps;
}

/// Whether the gradient of the weights goes by rows of taps. Of a single vector of units each
/// multiply-add of a tap loads a number; of a row each number is loaded once for all taps. (Sixteen
/// lanes: 3x3 16 to 16, 32x32: 0.80 of the time; 128 to 128, 28x28, in 4 groups 0.81; 32 to 16
/// 0.81; 5x5 6 to 16 0.70; 7x7 16 to 16 0.76; causal 3 16 to 16 0.92. Eight lanes: 3x3 16 to 8
/// 0.73, 64 to 8 0.84, 6 to 8 0.70. With four nobody has measured it.)
constexpr bool goes_by_rows_of_taps(const window_product& product, int vectors,
                                    layout::architecture target) {
  const std::int32_t taps = product.kernel_columns;
  return target.lanes >= 8 && vectors == 1 && product.lanewise == 0 && product.depth >= 5 &&
         product.columns.step == 1 && product.columns.slope == 1 && taps > 1 &&
         inputs_of_row_tile(taps, target) >= 3;
}

/// A register tile of such a gradient: `Inputs` numbers of a source at all taps of a row of the
/// kernel. Each sum is one chain of multiply-adds over ascending lines and outputs.
template <layout::architecture Architecture, window_product Product, int Inputs, int PanelWidth,
          typename Rule>
class row_gradient_tile {
 public:
  IPU_DSL_ALWAYS_INLINE void read(const gradient_target<Rule>& from, bool continues) {
    for_sums([&](lanes& sum, std::ptrdiff_t at) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      sum = continues ? load<lanes>(from.sum + at) : lanes(0.0F);
    });
  }

  IPU_DSL_ALWAYS_INLINE void write(const gradient_target<Rule>& to,
                                   const gradient_step<Rule>& step) {
    for_sums([&](const lanes& sum, std::ptrdiff_t at)
                 IPU_DSL_ALWAYS_INLINE_LAMBDA { finish_gradient<Rule>(to, at, sum, step); });
  }

  /// Adds a line of outputs, from the row of sources that it meets.
  IPU_DSL_ALWAYS_INLINE void add_line(const float* x, const float* d) {
#pragma GCC unroll 1
    for (std::int32_t source = met.begin; source < inner.begin; ++source) {
      add_source(x, d, source, true);
    }
#pragma GCC unroll 1
    for (std::int32_t source = inner.begin; source < inner.end; ++source) {
      add_source(x, d, source, false);
    }
#pragma GCC unroll 1
    for (std::int32_t source = inner.end; source < met.end; ++source) {
      add_source(x, d, source, true);
    }
  }

 private:
  using lanes = vector<Architecture>;

  static constexpr int taps = Product.columns.taps;
  static constexpr window_axis columns = Product.columns;

  /// The sources that some output meets, and those that at every tap another output meets.
  static constexpr index_range met =
      common({columns.first, columns.first + columns.outputs + taps - 1}, {0, columns.sources});

  static constexpr index_range find_inner() {
    const index_range all =
        common({columns.first + taps - 1, columns.first + columns.outputs}, met);
    return all.begin < all.end ? all : index_range{met.begin, met.begin};
  }

  static constexpr index_range inner = find_inner();

  lanes sums_[std::size_t{taps}][std::size_t{Inputs}];

  template <typename Body>
  IPU_DSL_ALWAYS_INLINE void for_sums(const Body& body) {
    IPU_DSL_UNROLLED
    for (int tap = 0; tap < taps; ++tap) {
      IPU_DSL_UNROLLED
      for (int input = 0; input < Inputs; ++input) {
        body(sums_[tap][input], (std::ptrdiff_t{tap} * Product.depth + input) * PanelWidth);
      }
    }
  }

  IPU_DSL_ALWAYS_INLINE void add_source(const float* x, const float* d, std::int32_t source,
                                        bool asks) {
    const float* const numbers = x + source * Product.read.pixel;
    const std::int32_t first = source - columns.first;
    lanes gradients[std::size_t{taps}];
    IPU_DSL_UNROLLED
    for (int tap = 0; tap < taps; ++tap) {
      const std::int32_t output = first - tap;
      if (!asks || (output >= 0 && output < columns.outputs)) {
        gradients[tap] = load_once<lanes>(d + output * Product.written.pixel);
      }
    }
    IPU_DSL_UNROLLED
    for (int input = 0; input < Inputs; ++input) {
      const lanes number(numbers[input]);
      IPU_DSL_UNROLLED
      for (int tap = 0; tap < taps; ++tap) {
        const std::int32_t output = first - tap;
        if (!asks || (output >= 0 && output < columns.outputs)) {
          sums_[tap][input] = multiply_add(number, gradients[tap], sums_[tap][input]);
        }
      }
    }
  }
};

/// What some lines of outputs add to such a tile.
///   x   the row of sources that the first line meets, from the first number of the tile on
///   d   the first line;  to  the weights of the first number at the first tap
template <layout::architecture Architecture, window_product Product, int Inputs, int PanelWidth,
          typename Rule>
[[gnu::noinline]] void row_gradient_lines(const float* x, const float* d,
                                          const gradient_target<Rule>& to, std::int32_t lines,
                                          const gradient_step<Rule>& step) noexcept {
  row_gradient_tile<Architecture, Product, Inputs, PanelWidth, Rule> tile;
  tile.read(to, step.continues);
#pragma GCC unroll 1
  for (std::int32_t line = 0; line < lines; ++line) {
    tile.add_line(x, d);
    x += Product.rows.step * Product.read.row;
    d += Product.written.row;
  }
  tile.write(to, step);
}

/// Some tiles of the weights of a row of taps, for a block of lines, as `window_gradient_tap` has
/// those of one tap. Each element is one chain of multiply-adds over ascending samples, lines and
/// columns of outputs, without those that meet padding at its tap.
///   x      the images;  d, to  of the first of the units
///   tiles  of the depth, as `gradient_tiles` counts them
template <layout::architecture Architecture, window_product Product, int PanelWidth, typename Rule>
[[gnu::noinline]] void window_gradient_row(const float* x, const float* d,
                                           const gradient_target<Rule>& to,
                                           std::int32_t row_of_taps, const index_range& tiles,
                                           const index_range& block,
                                           const gradient_step<Rule>& step) noexcept {
  const gradient_target<Rule> of_row =
      to.at(std::ptrdiff_t{row_of_taps} * Product.kernel_columns * Product.depth * PanelWidth);
  const line_runs<Product> runs(row_of_taps, true, block, lines_of_tile(Product, Architecture));
  parts_of<Product.depth, inputs_of_row_tile(Product.kernel_columns, Architecture)>(
      tiles, [&](auto inputs, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const gradient_target<Rule> target = of_row.at(std::ptrdiff_t{first} * PanelWidth);
        if (runs.end_without_any()) {
          row_gradient_lines<Architecture, Product, inputs, PanelWidth, Rule>(x, d, target, 0,
                                                                              step);
        }
        runs.each(step, [&](const line_run& run, const gradient_step<Rule>& of_run)
                            IPU_DSL_ALWAYS_INLINE_LAMBDA {
                              row_gradient_lines<Architecture, Product, inputs, PanelWidth, Rule>(
                                  x + run.x + first, d + run.d, target, run.count, of_run);
                            });
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
