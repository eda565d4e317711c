// SPDX-License-Identifier: MIT
// The gradient of the weights of a product over windows with so few units that a vector holds them
// twice: for two numbers of an image that lie beside each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How the numbers that a row of the kernel meets go in pairs: lanes 0, 2, 4, ... of a vector are
/// the units of the first one, lanes 1, 3, 5, ... those of the second.
template <window_product Product, layout::architecture Architecture>
struct number_pairs {
  static constexpr std::int32_t numbers = Product.kernel_columns * Product.depth;
  static constexpr std::int32_t count = layout::ceiling_quotient(numbers, 2);
  static constexpr std::int32_t rows_of_kernel = Product.kernel_taps / Product.kernel_columns;
  static constexpr std::int32_t sums = rows_of_kernel * count;
  /// Of rows of the kernel, whose sums stay in registers along a line; seven are for what is read,
  /// for the bias and for the compiler.
  static constexpr std::int32_t together =
      (std::min<std::int32_t>)(Product.rows.taps, (Architecture.registers - 7) / count);
  /// The sums of a whole kernel lie on the stack: at most 16 KB.
  static constexpr bool fit = together > 0 && sums <= 256;
};

/// Whether a gradient is made by pairs of numbers: 5x5 1 to 6 in half the time of single ones, with
/// vectors of sixteen.
template <window_product Product, layout::architecture Architecture>
inline constexpr bool has_paired_gradient =
    Product.lanewise == 0 && Product.groups == 1 && Product.joins_taps() &&
    2 * Product.units <= Architecture.lanes && number_pairs<Product, Architecture>::numbers > 1 &&
    number_pairs<Product, Architecture>::fit;

/// What a line of outputs adds to the sums of `Rows` rows of the kernel, [Rows, pairs, lanes], and
/// to those of the bias, [lanes]. Each is one chain over the columns of the line, ascending,
/// without those that meet padding at its tap.
///   x  the row of sources that the first row of taps meets;  d  the line
template <layout::architecture Architecture, window_product Product, int Rows>
[[gnu::noinline]] void paired_gradient_line(const float* x, const float* d, float* sums_of_rows,
                                            float* sums_of_bias) noexcept {
  using lanes = vector<Architecture>;
  using pairs = number_pairs<Product, Architecture>;
  constexpr index_range full = Product.columns.full_outputs();
  constexpr std::ptrdiff_t next_row = std::ptrdiff_t{Product.rows.slope} * Product.read.row;
  constexpr float first_alone[] = {1.0F, 0.0F};
  const auto is_first = pair_in_turn<lanes>(first_alone) > lanes(0.0F);
  lanes sums[std::size_t{Rows}][std::size_t{pairs::count}];
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int pair = 0; pair < pairs::count; ++pair) {
      sums[row][pair] =
          load<lanes>(sums_of_rows + (row * pairs::count + pair) * Architecture.lanes);
    }
  }
  lanes bias = load<lanes>(sums_of_bias);
  const auto add = [&](std::int32_t column, bool asks) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const lanes gradient = each_twice<lanes>(d + column * Product.written.pixel);
    // Or g++ 12 keeps numbers for the next column, and moves them from register to register (5x5 1
    // to 6: 0.60 of the time; 3x3 3 to 8: 0.70).
    const float* source = x + Product.columns.source(column, 0) * Product.read.pixel;
    asm("" : "+r"(source));
    bias = bias + gradient;
    const auto met = [&](std::int32_t number) {
      return !asks || Product.columns.meets(column, number / Product.depth);
    };
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      IPU_DSL_UNROLLED
      for (int pair = 0; pair < pairs::count; ++pair) {
        const float* const from = source + row * next_row + 2 * pair;
        lanes& sum = sums[row][pair];
        if (2 * pair + 1 == pairs::numbers) {
          // Nobody asks what the other lanes hold.
          sum = met(2 * pair) ? multiply_add(lanes(from[0]), gradient, sum) : sum;
        } else if (met(2 * pair) && met(2 * pair + 1)) {
          sum = multiply_add(pair_in_turn<lanes>(from), gradient, sum);
        } else if (met(2 * pair)) {
          sum = choose(is_first, multiply_add(lanes(from[0]), gradient, sum), sum);
        } else if (met(2 * pair + 1)) {
          sum = choose(is_first, sum, multiply_add(lanes(from[1]), gradient, sum));
        }
      }
    }
  };
  IPU_DSL_UNROLLED
  for (std::int32_t column = 0; column < full.begin; ++column) {
    add(column, true);
  }
#pragma GCC unroll 1
  for (std::int32_t column = full.begin; column < full.end; ++column) {
    add(column, false);
  }
  IPU_DSL_UNROLLED
  for (std::int32_t column = full.end; column < Product.columns.outputs; ++column) {
    add(column, true);
  }
  IPU_DSL_UNROLLED
  for (int row = 0; row < Rows; ++row) {
    IPU_DSL_UNROLLED
    for (int pair = 0; pair < pairs::count; ++pair) {
      store(sums_of_rows + (row * pairs::count + pair) * Architecture.lanes, sums[row][pair]);
    }
  }
  store(sums_of_bias, bias);
}

/// The sums of a whole kernel and its bias while lines are added, [rows of the kernel, pairs,
/// lanes] and [lanes].
template <window_product Product, layout::architecture Architecture>
class paired_sums {
 public:
  using pairs = number_pairs<Product, Architecture>;
  static constexpr std::ptrdiff_t lanes = Architecture.lanes;
  static constexpr std::ptrdiff_t width = layout::panel_width(Product.units, Architecture);

  /// Goes on from what is there.
  ///   panel  [rows of the kernel, numbers, width];  bias  [lanes], null if it is not asked for
  void load(const float* panel, const float* bias, const index_range& rows) {
    for (std::int32_t row = rows.begin; row < rows.end; ++row) {
      for (std::int32_t number = 0; number < pairs::numbers; ++number) {
        const float* const from = panel + place(row, number);
        for (std::int32_t unit = 0; unit < Product.units; ++unit) {
          of_number(row, number)[2 * unit] = from[unit];
        }
      }
    }
    for (std::int32_t unit = 0; bias != nullptr && unit < Product.units; ++unit) {
      bias_[2 * unit] = bias[unit];
    }
  }

  /// Adds a line of outputs to the sums of some rows of the kernel, in one of its planes.
  ///   image  from which sources count;  d  the line
  void add(const float* image, const float* d, std::int32_t line, const met_taps& met,
           const index_range& rows) {
    float* bias = bias_;
    for (std::int32_t plane = met.planes.begin; plane < met.planes.end; ++plane) {
      const std::int32_t before = plane * Product.rows.taps;
      const std::int32_t end = (std::min)(rows.end - before, met.rows.end);
      for (std::int32_t at = (std::max)(rows.begin - before, met.rows.begin); at < end;) {
        const float* const source = image + Product.source_row(line, plane, at);
        at += add_rows<pairs::together>(source, d, row(before + at), bias, end - at);
        bias = ignored_;
      }
    }
    if (bias != ignored_) {
      add_to_bias(d);
    }
  }

  /// Of a number for all units, zeros behind them.
  vector<Architecture> weights(std::int32_t row, std::int32_t number) {
    return units_of(of_number(row, number));
  }

  vector<Architecture> bias() { return units_of(bias_); }

  /// Where a number's weights lie in the panel.
  static constexpr std::ptrdiff_t place(std::int32_t row, std::int32_t number) {
    return (std::ptrdiff_t{row} * pairs::numbers + number) * width;
  }

 private:
  /// Adds a line to `Rows` rows of the kernel, or about half as many until they are at most `most`;
  /// returns how many. One by one each would wait for its own sums: three rows of five took longer
  /// than all five together.
  template <int Rows>
  static std::int32_t add_rows(const float* source, const float* d, float* sums, float* bias,
                               std::int32_t most) {
    if constexpr (Rows > 1) {
      if (most < Rows) {
        return add_rows<(Rows + 1) / 2>(source, d, sums, bias, most);
      }
    }
    paired_gradient_line<Architecture, Product, Rows>(source, d, sums, bias);
    return Rows;
  }

  float* row(std::int32_t number) { return sums_ + number * pairs::count * lanes; }

  float* of_number(std::int32_t of_row, std::int32_t number) {
    return row(of_row) + number / 2 * lanes + number % 2;
  }

  static vector<Architecture> units_of(const float* first) {
    float units[std::size_t{Architecture.lanes}] = {};
    for (std::int32_t unit = 0; unit < Product.units; ++unit) {
      units[unit] = first[2 * unit];
    }
    return kernels::load<vector<Architecture>>(units);
  }

  /// Of a line that meets nothing.
  void add_to_bias(const float* d) {
    for (std::int32_t column = 0; column < Product.columns.outputs; ++column) {
      for (std::int32_t unit = 0; unit < Product.units; ++unit) {
        bias_[2 * unit] = bias_[2 * unit] + d[column * Product.written.pixel + unit];
      }
    }
  }

  alignas(64) float sums_[std::size_t{pairs::sums} * std::size_t{Architecture.lanes}] = {};
  alignas(64) float bias_[std::size_t{Architecture.lanes}] = {};
  alignas(64) float ignored_[std::size_t{Architecture.lanes}] = {};
};

/// The gradients of w and bias as `gradient_of_taps` has them: each element is one chain over
/// ascending samples, lines and columns.
template <window_product Product, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void gradient_by_pairs(const float* __restrict x, const float* __restrict d,
                       const gradient_target<Rule>& kernel, const gradient_target<Rule>& bias,
                       const gradient_step<Rule>& step, const grain& part = {}) noexcept {
  using pairs = number_pairs<Product, Architecture>;
  const index_range mine = range_of(pairs::rows_of_kernel, part);
  const index_range of_bias = range_of(1, part);
  const bool has_bias = bias.sum != nullptr && of_bias.begin < of_bias.end;
  paired_sums<Product, Architecture> sums;
  if (step.continues) {
    sums.load(kernel.sum, has_bias ? bias.sum : nullptr, mine);
  }
  for (std::int32_t number = 0; number < Product.lines(); ++number) {
    const std::int32_t sample = number / Product.lines_of_sample();
    const std::int32_t line = number % Product.lines_of_sample();
    sums.add(x + sample * Product.read.sample,
             d + sample * Product.written.sample + Product.written_line(line), line,
             Product.taps_met(line), mine);
  }
  for (std::int32_t row = mine.begin; row < mine.end; ++row) {
    for (std::int32_t of_row = 0; of_row < pairs::numbers; ++of_row) {
      finish_gradient<Rule>(kernel, sums.place(row, of_row), sums.weights(row, of_row), step);
    }
  }
  if (has_bias) {
    finish_gradient<Rule>(bias, 0, sums.bias(), step);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
