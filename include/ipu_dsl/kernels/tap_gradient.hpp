// SPDX-License-Identifier: MIT
// The gradients of weights and bias of a product over windows, line by line of the outputs and of
// several taps at once: of a depthwise convolution, of groups of channels by lanes, of few
// channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/line_copies.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tap_blocks.hpp>
#include <ipu_dsl/kernels/tap_gradient_rows.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Calls `visit(place)` for the weights of some rows of the kernel that its vectors of units have,
/// of all numbers or of number `k` alone.
template <typename Places, window_product Product, typename Visit>
IPU_DSL_ALWAYS_INLINE void for_weights(std::int32_t n, const index_range& rows, std::int32_t k,
                                       const Visit& visit) {
  const index_range inputs =
      Product.has_rows_of_numbers() ? index_range{k, k + 1} : index_range{0, Product.depth};
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    for (std::int32_t tap = 0; tap < Product.kernel_columns; ++tap) {
      for (std::int32_t input = inputs.begin; input < inputs.end; ++input) {
        visit(Places::unit(n) + row * Places::row + tap * Places::tap + input * Places::input);
      }
    }
  }
}

/// What all lines of a sample add to some rows of the kernel, of the units that go together in
/// copies: those from `n` on.
template <layout::architecture Architecture, window_product Product, weights_lying Lying>
void tap_gradient_of_copies(const float* x, const float* d, float* sums, float* bias_sums,
                            std::int32_t n, const index_range& rows) {
  using copies = line_copies<Architecture, Product>;
  using places = weight_places<Product, Lying, Architecture>;
  constexpr index_range whole = {0, Product.columns.outputs};
  copies room;
  blocks_of(Product.rows.outputs, copies::lines, [&](const index_range& block) {
    const auto add_lines = [&](const index_range& some, std::int32_t v, auto& copier) {
      float* const bias = bias_sums == nullptr ? nullptr : bias_sums + n + v;
      for (std::int32_t line = some.begin; line < some.end;) {
        const std::int32_t alike = lines_alike<Architecture, Product>(line, some.end);
        const index_range both = common(rows, Product.taps_met(line).rows);
        tap_gradient_rows<Architecture, copies::product, Lying, whole>(
            room.image() + v, d + n + Product.written_line(line) + v, sums + places::unit(n + v),
            line - block.begin, 0, bias, both, Product.units - n - v, alike, copier);
        copier.skip_lines(alike);
        line += alike;
      }
    };
    auto copier = room.begin(x + n, block.begin);
    no_copier nothing;
    const index_range copying = copies::outputs_that_copy(block);
    add_lines(copying, 0, copier);
    add_lines({copying.end, block.end}, 0, nothing);
    for (std::int32_t v = Architecture.lanes; v < copies::units; v += Architecture.lanes) {
      add_lines(block, v, nothing);
    }
  });
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
  // Each row of numbers is a product of its own.
  constexpr std::int32_t products = Product.has_rows_of_numbers() ? Product.depth : 1;
  constexpr std::int32_t rows_of_kernel = Product.kernel_taps / Product.kernel_columns;
  // Vectors that are dealt out together.
  constexpr bool copies = copies_lines<Architecture, Product>();
  constexpr std::int32_t dealt = [] {
    if constexpr (copies) {
      return line_copies<Architecture, Product>::vectors;
    } else {
      return 1;
    }
  }();
  static_assert(vectors % dealt == 0, "copies are of whole vectors, as many as are dealt together");
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
  const auto of_weights = [&](const auto& body) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    of_mine([&](std::int32_t n, std::int32_t k, const index_range& rows)
                IPU_DSL_ALWAYS_INLINE_LAMBDA {
                  for_weights<places, Product>(n, rows, k, [&](std::ptrdiff_t at) {
                    for (std::int32_t v = 0; v < together * width; v += width) {
                      body(at + v, Product.units - n - v);
                    }
                  });
                });
  };
  // Whose first row of the kernel is here sums up the bias.
  constexpr bool bias_in_tiles = sums_bias_in_tiles<Product, Architecture>;
  static_assert(bias_in_tiles || !copies, "who copies lines does not walk them for the bias");
  const auto bias_of = [&](const index_range& rows) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return bias_in_tiles && rows.begin == 0 ? bias.sum : nullptr;
  };
  const auto of_biases = [&](const auto& body) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    of_mine([&](std::int32_t n, std::int32_t, const index_range& rows)
                IPU_DSL_ALWAYS_INLINE_LAMBDA {
                  if (bias_of(rows) == nullptr) {
                    return;
                  }
                  for (std::int32_t v = 0; v < together * width; v += width) {
                    body(n + v);
                  }
                });
  };
  if (!step.continues) {
    of_biases([&](std::int32_t n) { store(bias.sum + n, lanes(0.0F)); });
    of_weights([&](std::ptrdiff_t at, std::int32_t units) {
      store_some(kernel.sum + at, lanes(0.0F), Lying == weights_lying::plain ? units : width);
    });
  }
  if constexpr (copies) {
    // A pixel's units lie together: all of them, before the next sample is read. (3x3, 8 images of
    // 512 channels, 14x14: 0.88 to 0.93 of the time; 256, 28x28: 0.78 to 0.83.)
    for (std::int32_t sample = 0; sample < Product.samples; ++sample) {
      const float* const image = x + sample * Product.read.sample;
      const float* const outputs = d + sample * Product.written.sample;
      of_groups([&](std::int32_t first, std::int32_t, const index_range& rows) {
        tap_gradient_of_copies<Architecture, Product, Lying>(image, outputs, kernel.sum,
                                                             bias_of(rows), first * width, rows);
      });
    }
  } else {
    for (std::int32_t number = 0; number < Product.lines();) {
      const std::int32_t sample = number / Product.lines_of_sample();
      const std::int32_t line = number % Product.lines_of_sample();
      const std::int32_t alike =
          lines_alike<Architecture, Product>(line, Product.lines_of_sample());
      const met_taps met = Product.taps_met(line);
      const float* const image = x + sample * Product.read.sample;
      const float* const of_line = d + sample * Product.written.sample + Product.written_line(line);
      // Of parts that are alike the second, which stands for others `moved` columns behind it.
      const auto add_part = [&]<index_range Part>(std::int32_t moved) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        of_mine([&](std::int32_t n, std::int32_t k,
                    const index_range& rows) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          float* const sums = kernel.sum + places::unit(n) + k * places::input;
          float* const bias_sums = bias_of(rows);
          const float* const from = Product.lanewise != 0 ? image + n + k * deeper : image;
          for (std::int32_t plane = met.planes.begin; plane < met.planes.end; ++plane) {
            const std::int32_t before = plane * Product.rows.taps;
            const index_range both = common({rows.begin - before, rows.end - before}, met.rows);
            tap_gradient_rows<Architecture, Product, Lying, Part>(
                from + moved * Product.columns.step * Product.read.pixel,
                of_line + n + moved * Product.written.pixel, sums, line, plane,
                bias_sums == nullptr ? nullptr : bias_sums + n, both, Product.units - n, alike);
          }
        });
      };
      using parts = line_parts<Architecture, Product>;
      add_part.template operator()<parts::first>(0);
#pragma GCC unroll 1
      for (std::int32_t i = 1; i + 1 < parts::count; ++i) {
        add_part.template operator()<parts::second>((i - 1) * parts::columns);
      }
      if constexpr (parts::count > 1) {
        add_part.template operator()<parts::last>(0);
      }
      if constexpr (!bias_in_tiles) {
        // The bias while the lines are near.
        for (std::int32_t i = 0; i < alike; ++i) {
          gradient_step<Rule> of_bias = step;
          of_bias.continues = step.continues || number + i > 0;
          of_bias.updates = step.updates && number + i + 1 == Product.lines();
          gradient_of_pixels<Product.units, Rule, Architecture>(
              of_line + i * Product.written.row, Product.columns.outputs, bias, of_bias, part);
        }
      }
      number += alike;
    }
  }
  if constexpr (!std::is_same_v<Rule, no_update>) {
    if (step.updates) {
      of_biases(
          [&](std::int32_t n) { finish_gradient<Rule>(bias, n, load<lanes>(bias.sum + n), step); });
      of_weights([&](std::ptrdiff_t at, std::int32_t) {
        finish_gradient<Rule>(kernel, at, load<lanes>(kernel.sum + at), step);
      });
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
