// SPDX-License-Identifier: MIT
// The gradients of weights and bias of a product over windows in which each unit reads numbers of
// its own: of groups of channels, of a depthwise convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/window_gradient.hpp>

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
enum class lanewise_weights { in_panels, plain };

/// The weights of `Taps` neighbouring taps of one row of the kernel, from `first_tap` on, at one
/// number of the depth, `Vectors` vectors of units of which `units` are there. Each element is one
/// chain of multiply-adds over ascending samples, lines and columns of outputs, without those that
/// meet padding at this tap. `to` is that of the first tap, those of the next lie `apart` floats
/// further.
template <layout::architecture Architecture, window_product Product, int Vectors, int Taps,
          lanewise_weights Lying, typename Rule>
[[gnu::noinline]] void lanewise_gradient_tile(const float* x, const float* d,
                                              const gradient_target<Rule>& to, std::ptrdiff_t apart,
                                              std::int32_t row_of_taps, std::int32_t first_tap,
                                              std::int32_t units,
                                              const gradient_step<Rule>& step) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Taps}][std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int tap = 0; tap < Taps; ++tap) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      sums[tap][v] = lanes(0.0F);
      if (step.continues) {
        const float* const sum = to.sum + tap * apart + v * width;
        sums[tap][v] = Lying == lanewise_weights::plain ? load_some<lanes>(sum, units - v * width)
                                                        : load<lanes>(sum);
      }
    }
  }
  const met_lines<Product> lines(row_of_taps);
  const index_range at_first = Product.columns.outputs_at(first_tap);
  const index_range at_last = Product.columns.outputs_at(first_tap + Taps - 1);
  // Sources ascend with taps: at these outputs all of them meet something.
  const std::int32_t full_begin = at_first.begin;
  const std::int32_t full_end = at_last.begin < at_last.end ? at_last.end : 0;
  for (std::int32_t sample = 0; sample < Product.samples; ++sample) {
    for (std::int32_t number = 0; number < lines.count(); ++number) {
      const std::int32_t line = lines.at(number);
      const float* const source = x + sample * Product.read.sample + lines.source(line);
      const float* const of_line = d + sample * Product.written.sample + Product.written_line(line);
      for (std::int32_t column = 0; column < Product.columns.outputs; ++column) {
        lanes gradients[std::size_t{Vectors}];
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          gradients[v] = load_once<lanes>(of_line + column * Product.written.pixel + v * width);
        }
        const bool all = column >= full_begin && column < full_end;
        IPU_DSL_UNROLLED
        for (int tap = 0; tap < Taps; ++tap) {
          if (all || Product.columns.meets(column, first_tap + tap)) {
            const std::ptrdiff_t at = Product.columns.source(column, first_tap + tap);
            IPU_DSL_UNROLLED
            for (int v = 0; v < Vectors; ++v) {
              const lanes input = load<lanes>(source + at * Product.read.pixel + v * width);
              sums[tap][v] = multiply_add(input, gradients[v], sums[tap][v]);
            }
          }
        }
      }
    }
  }
  IPU_DSL_UNROLLED
  for (int tap = 0; tap < Taps; ++tap) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      if constexpr (Lying == lanewise_weights::plain) {
        store_some(to.sum + tap * apart + v * width, sums[tap][v], units - v * width);
      } else {
        finish_gradient<Rule>(to, tap * apart + v * width, sums[tap][v], step);
      }
    }
  }
}

/// The gradients of w and bias of `multiply_windows` by lanes, as `gradient_of_windows` has them.
/// A plain kernel is not updated.
template <window_product Product, lanewise_weights Lying, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void gradient_by_lanes(const float* __restrict x, const float* __restrict d,
                       const gradient_target<Rule>& kernel, const gradient_target<Rule>& bias,
                       const gradient_step<Rule>& step, const grain& part = {}) noexcept {
  static_assert(Lying == lanewise_weights::in_panels || std::is_same_v<Rule, no_update>);
  constexpr panel_columns columns(Product.units, Architecture);
  // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
  constexpr int width = columns.width;
  constexpr int vectors_of_panel = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr std::ptrdiff_t deeper = layout::row_stride(Product.units, Architecture);
  constexpr std::int32_t rows = Product.kernel_taps / Product.kernel_columns;
  constexpr std::int32_t depth = Product.depth;
  constexpr bool plain = Lying == lanewise_weights::plain;
  // From the weights of one number of the depth to those of the next, and from panel to panel.
  constexpr std::ptrdiff_t row = plain ? Product.units : width;
  constexpr std::ptrdiff_t next =
      plain ? width : std::ptrdiff_t{Product.kernel_taps} * depth * width;
  const auto some_rows = [&](auto panel_vectors, std::int32_t panel,
                             const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    constexpr int vectors = panel_vectors;
    constexpr int most_taps = vectors < 8 ? 8 / vectors : 1;
    constexpr auto parts = layout::split_evenly(Product.kernel_columns, most_taps).parts();
    const std::int32_t n = panel * width;
    for (std::int32_t number = mine.begin; number < mine.end; ++number) {
      const std::int32_t row_tap = number / depth;
      const std::int32_t k = number % depth;
      parts_of<Product.kernel_columns, most_taps>(
          {0, parts}, [&](auto taps, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
            const std::ptrdiff_t tap = row_tap * Product.kernel_columns + first;
            lanewise_gradient_tile<Architecture, Product, vectors, taps, Lying, Rule>(
                x + n + k * deeper, d + n, kernel.at(panel * next + (tap * depth + k) * row),
                depth * row, row_tap, first, Product.units - n, step);
          });
    }
  };
  columns_of_grain(columns.full_panels, rows * depth, part,
                   [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                     some_rows(std::integral_constant<int, vectors_of_panel>(), panel, mine);
                   });
  if constexpr (rest_vectors > 0) {
    some_rows(std::integral_constant<int, rest_vectors>(), columns.full_panels,
              range_of(rows * depth, part));
  }
  constexpr std::int32_t pixels = Product.lines() * Product.columns.outputs;
  gradient_of_pixels<pixels, Product.units, Rule, Architecture>(d, bias, step, part);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
