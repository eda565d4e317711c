// SPDX-License-Identifier: MIT
// The register tiles of a weight gradient, x^T d, and the update that may follow while they are in
// registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/update.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Where the gradient of a parameter goes: into its sum over micro-batches or, when that is
/// complete, through the update into the parameter itself. All lie alike.
template <typename Rule = no_update>
struct gradient_target {
  float* sum = nullptr;
  updated_parameter<Rule::kept> updated = {};  ///< unless there is no update

  constexpr gradient_target at(std::ptrdiff_t element) const {
    gradient_target made;
    made.sum = sum + element;
    if constexpr (!std::is_same_v<Rule, no_update>) {
      made.updated = updated.at(element);
    }
    return made;
  }
};

/// Which micro-batch of an update this is.
template <typename Rule = no_update>
struct gradient_step {
  bool continues = false;  ///< goes on from the sum of those before; otherwise from zero
  bool updates = false;    ///< the last: the gradient is complete
  typename Rule::numbers numbers = {};
};

/// Stores a vector of a gradient, or updates the parameter with it.
template <typename Rule, typename Vector>
IPU_DSL_ALWAYS_INLINE void finish_gradient(const gradient_target<Rule>& to, std::ptrdiff_t element,
                                           const Vector& gradient,
                                           const gradient_step<Rule>& step) {
  if constexpr (!std::is_same_v<Rule, no_update>) {
    if (step.updates) {
      update_vector<Rule>(to.updated, element, gradient, step.numbers);
      return;
    }
  }
  store(to.sum + element, gradient);
}

/// Asks for what the tile behind this one writes, some bytes of it at each step of this one: what
/// an optimizer keeps may make a model's parameters too many for the second-level cache (784-256-
/// 128-64-32-10 with momentum: 2 MB, a step 0.92 of the time), and lines that another core has read
/// must be taken from it. All at once where a tile begins, it cost what lies near 4 %.
template <typename Rule>
class asks_for_next_tile {
 public:
  /// Of tiles of so many floats, each summed up in so many steps.
  IPU_DSL_ALWAYS_INLINE asks_for_next_tile(std::ptrdiff_t tile, std::int32_t steps)
      : bytes_(static_cast<std::uintptr_t>(tile) * sizeof(float) /
               static_cast<std::uintptr_t>((std::max)(steps, 1))) {}

  /// From the tile behind that of `to` on.
  IPU_DSL_ALWAYS_INLINE void begin(const gradient_target<Rule>& to, const gradient_step<Rule>& step,
                                   std::ptrdiff_t tile) {
    const auto at = [&](const float* first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      return reinterpret_cast<std::uintptr_t>(first) +
             static_cast<std::uintptr_t>(tile) * sizeof(float);
    };
    next_[0] = at(step.updates ? to.updated.parameter : to.sum);
    IPU_DSL_UNROLLED
    for (int i = 0; i < Rule::kept; ++i) {
      next_[1 + i] = at(step.updates ? to.updated.kept[i] : to.sum);
    }
  }

  IPU_DSL_ALWAYS_INLINE void at_step() {
    IPU_DSL_UNROLLED
    for (int i = 0; i < 1 + Rule::kept; ++i) {
      prefetch_line_for_writing(next_[i]);
      next_[i] += bytes_;
    }
  }

 private:
  std::uintptr_t bytes_;
  std::uintptr_t next_[std::size_t{1 + Rule::kept}] = {};
};

/// What the tiles of a weight gradient read: `batch` samples, or so many of each of some lines.
struct gradient_factors {
  const float* x = nullptr;
  const float* d = nullptr;
  std::int32_t batch = 0;
  std::ptrdiff_t x_stride = 0;
  std::ptrdiff_t d_stride = 0;
  std::ptrdiff_t x_ahead = 0;  ///< how far behind x lies what is read next, if it is asked for
  std::ptrdiff_t d_ahead = 0;  ///< the same of d
  std::int32_t lines = 1;
  std::ptrdiff_t x_line = 0;  ///< from a line to the next
  std::ptrdiff_t d_line = 0;
};

/// `tiles` blocks below each other of `Rows` inputs and `Vectors` vectors of outputs. Each element
/// is one chain of multiply-adds over ascending lines and samples, from its previous value if the
/// chain continues. A call for each block would cost it some 4 %: its reduction is short.
/// `InLines`: there may be more than one, whose ends the loop has to look for. `AsksForOutputs`,
/// `AsksForInputs`: d or x come from afar, and what is read next is asked for.
template <layout::architecture Architecture, int Rows, int Vectors, int PanelWidth, typename Rule,
          bool InLines = false, bool AsksForOutputs = false, bool AsksForInputs = false>
[[gnu::noinline]] void outer_product_tiles(const gradient_factors& from,
                                           const gradient_target<Rule>& to, std::int32_t tiles,
                                           const gradient_step<Rule>& step) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::ptrdiff_t tile_elements = std::ptrdiff_t{Rows} * PanelWidth;
  const gradient_step<Rule> how = step;
  const gradient_factors factors = from;
  gradient_target<Rule> target = to;
  const float* first_x = factors.x;
  // One loop over all lines: of two g++ 12 keeps the vectors of d in memory where an update follows
  // (a training step of 128 LSTM units: 1.17 of the time).
  const std::int32_t steps = InLines ? factors.lines * factors.batch : factors.batch;
  [[maybe_unused]] const std::ptrdiff_t x_gap = factors.x_line - factors.batch * factors.x_stride;
  [[maybe_unused]] const std::ptrdiff_t d_gap = factors.d_line - factors.batch * factors.d_stride;
  asks_for_next_tile<Rule> asks(tile_elements, steps);
  for (std::int32_t tile = 0; tile < tiles; ++tile) {
    lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
    if (how.continues) {
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = load<lanes>(target.sum + row * PanelWidth + v * width);
        }
      }
    } else {
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = lanes(0.0F);
        }
      }
    }
    asks.begin(target, how, tile_elements);
    const float* x = first_x;
    const float* d = factors.d;
    [[maybe_unused]] std::int32_t left_of_line = factors.batch;
#pragma GCC unroll 1
    for (std::int32_t b = 0; b < steps; ++b) {
      lanes columns[std::size_t{Vectors}];
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        columns[v] = load_once<lanes>(d + v * width);
        if constexpr (AsksForOutputs) {
          prefetch_for_reading(d, v * width + factors.d_ahead);
        }
      }
      if constexpr (AsksForInputs) {
        prefetch_for_reading(x, factors.x_ahead);
      }
      asks.at_step();
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        const lanes input(x[row]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = multiply_add(input, columns[v], sums[row][v]);
        }
      }
      x += factors.x_stride;
      d += factors.d_stride;
      if constexpr (InLines) {
        if (--left_of_line == 0) {
          left_of_line = factors.batch;
          x += x_gap;
          d += d_gap;
        }
      }
    }
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        finish_gradient<Rule>(target, row * PanelWidth + v * width, sums[row][v], how);
      }
    }
    target = target.at(tile_elements);
    first_x += Rows;
  }
}

/// `Vectors` vectors of db, from column `n` on: sums side by side, each over the `rows` of d.
template <layout::architecture Architecture, int Vectors, typename Rule>
IPU_DSL_ALWAYS_INLINE void bias_gradient_block(const float* d, const gradient_target<Rule>& to,
                                               std::int32_t rows, std::ptrdiff_t d_stride,
                                               std::int32_t n, const gradient_step<Rule>& step) {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  lanes sums[std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    sums[v] = step.continues ? load<lanes>(to.sum + n + v * width) : lanes(0.0F);
  }
#pragma GCC unroll 1
  for (std::int32_t b = 0; b < rows; ++b) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      sums[v] = sums[v] + load<lanes>(d + b * d_stride + n + v * width);
    }
  }
  IPU_DSL_UNROLLED
  for (int v = 0; v < Vectors; ++v) {
    finish_gradient<Rule>(to, n + v * width, sums[v], step);
  }
}

/// db of some columns, from `columns.begin` on, whole vectors of them: each element is one chain of
/// sums over the `rows` of d, ascending. A sum waits for the one before it: eight side by side.
template <layout::architecture Architecture, typename Rule>
[[gnu::noinline]] void bias_gradient(const float* __restrict d, const gradient_target<Rule>& to,
                                     std::int32_t rows, std::ptrdiff_t d_stride,
                                     const index_range& columns,
                                     const gradient_step<Rule>& step) noexcept {
  constexpr int width = Architecture.lanes;
  std::int32_t n = columns.begin;
  for (; n + 8 * width <= columns.end; n += 8 * width) {
    bias_gradient_block<Architecture, 8, Rule>(d, to, rows, d_stride, n, step);
  }
  for (; n + 3 * width <= columns.end; n += 3 * width) {
    bias_gradient_block<Architecture, 3, Rule>(d, to, rows, d_stride, n, step);
  }
  for (; n < columns.end; n += width) {
    bias_gradient_block<Architecture, 1, Rule>(d, to, rows, d_stride, n, step);
  }
}

/// The gradient of a bias [units] that is added to each of some pixels, from that of the pixels, or
/// a grain of it; nothing if its sum is null.
template <std::int32_t Units, typename Rule = no_update,
          layout::architecture Architecture = layout::native>
void gradient_of_pixels(const float* __restrict d, std::int32_t pixels,
                        const gradient_target<Rule>& bias, const gradient_step<Rule>& step,
                        const grain& part) noexcept {
  if (bias.sum == nullptr) {
    return;
  }
  constexpr std::int32_t lanes = Architecture.lanes;
  constexpr std::int32_t stride = layout::row_stride(Units, Architecture);
  const index_range mine = range_of(stride / lanes, part);
  bias_gradient<Architecture, Rule>(d, bias, pixels, stride, {mine.begin * lanes, mine.end * lanes},
                                    step);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
