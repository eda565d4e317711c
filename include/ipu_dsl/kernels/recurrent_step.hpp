// SPDX-License-Identifier: MIT
// One step of a recurrence over all samples: forward from the states of the step before, backward
// from the gradients of the step behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Sequences [samples][steps][row_stride(units)]; back from states, of which there may be one more,
/// [samples][kept_steps][row_stride(units)].
struct recurrence {
  std::int32_t samples;
  std::int32_t steps;
  std::int32_t units;
  std::int32_t kept_steps = steps;

  constexpr std::int32_t step_stride(layout::architecture target) const {
    return layout::row_stride(units, target);
  }

  constexpr std::int32_t sample_stride(layout::architecture target) const {
    return steps * step_stride(target);
  }
};

/// What is given besides the steps of a walk, at the place next to them.
enum class given_state {
  none,
  before_first,
  behind_last  ///< where the steps are walked back
};

/// A step of a walk along a sequence, and its neighbours in the walk. States that are given lie
/// next to those of the steps: before the first place, or behind the last of a walk from there.
struct walked_step {
  static constexpr std::int32_t none = -2;  ///< a state that is given may stand at -1

  std::int32_t place;
  std::int32_t before;  ///< `none`: there is none
  std::int32_t after;   ///< the same

  constexpr bool has_before() const { return before != none; }

  constexpr bool has_after() const { return after != none; }

  /// The `number`-th step of a walk over so many, from the first of them or from the last.
  constexpr walked_step(std::int32_t number, std::int32_t steps, bool from_last,
                        given_state given = given_state::none)
      : place(from_last ? steps - 1 - number : number),
        before(number == 0 && given != given_state::before_first
                   ? none
                   : (from_last ? place + 1 : place - 1)),
        after(number == steps - 1 && given != given_state::behind_last
                  ? none
                  : (from_last ? place - 1 : place + 1)) {}

  /// Where states are carried from step to step: that of a step is the first of two, the one before
  /// it the second.
  static constexpr walked_step carried() { return walked_step(1, 2, true); }
};

/// Adds x w to y, for a grain: each element of y goes on with its chain, in ascending order of
/// units. `x` and `y` are one step of all samples; without `x` nothing is added. `finish(y, rows,
/// columns, first column)` is called for every block of y that is complete.
template <recurrence Of, activation_kind InTile, layout::architecture Architecture, typename Finish>
IPU_DSL_ALWAYS_INLINE void add_recurrent_product(const float* x, const float* w, float* y,
                                                 float alpha, const grain& part,
                                                 const Finish& finish) {
  // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
  constexpr panel_columns columns(Of.units, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr int stride = Of.sample_stride(Architecture);
  const std::int32_t terms = x == nullptr ? 0 : Of.units;
  const float* const read = x == nullptr ? y : x;
  const auto some_tiles = [&](auto panel_vectors, std::int32_t panel,
                              const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t n = panel * width;
    tile_rows<Architecture, Of.samples, panel_vectors>(
        mine, [&](auto rows, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          float* const block = y + std::ptrdiff_t{first} * stride + n;
          product_tile<Architecture, rows, panel_vectors, width, stride, InTile>(
              read + std::ptrdiff_t{first} * stride, w + std::ptrdiff_t{panel} * Of.units * width,
              nullptr, block, stride, terms, alpha, {false, true});
          finish(block, rows, panel_vectors * Architecture.lanes, n);
        });
  };
  constexpr int tiles = row_tiles(Of.samples, vectors, Architecture).parts();
  columns_of_grain(columns.full_panels, tiles, part,
                   [&](std::int32_t panel, const index_range& mine) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                     some_tiles(std::integral_constant<int, vectors>(), panel, mine);
                   });
  if constexpr (rest_vectors > 0) {
    constexpr int rest_tiles = row_tiles(Of.samples, rest_vectors, Architecture).parts();
    some_tiles(std::integral_constant<int, rest_vectors>(), columns.full_panels,
               range_of(rest_tiles, part));
  }
}

/// y[step] = activation(y[step] + y[before] w), or a grain of it; before the first step there is
/// nothing. y holds the inputs' part of every step and w panels of [units, units].
template <recurrence Of, activation_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void recurrent_step(float* states, const float* w, const walked_step& step,
                                      float alpha, const grain& part = {}) noexcept {
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr std::ptrdiff_t along = Of.step_stride(Architecture);
  float* const y = states + step.place * along;
  add_recurrent_product<Of, in_tile, Architecture>(
      step.has_before() ? states + step.before * along : nullptr, w, y, alpha, part,
      [&](float* block, std::int32_t rows, std::int32_t columns, std::int32_t first)
          IPU_DSL_ALWAYS_INLINE_LAMBDA {
            if constexpr (!applied_in_registers(Kind)) {
              activate_block<Kind, Architecture>(block, Of.sample_stride(Architecture), rows,
                                                 columns, Of.units - first, alpha);
            }
          });
}

/// d[step] = (d[step] + d[before] w) activation'(states[step]), or a grain of it, where the steps
/// are walked back. d holds the gradient of the output, w panels of the transposed weights.
template <recurrence Of, activation_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void recurrent_gradient_step(float* gradients, const float* w,
                                               const float* states, const walked_step& step,
                                               float alpha, const grain& part = {}) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::ptrdiff_t along = Of.step_stride(Architecture);
  // What a sample has more of states than of gradients.
  constexpr std::ptrdiff_t sample = Of.sample_stride(Architecture);
  constexpr std::ptrdiff_t more = (Of.kept_steps - Of.steps) * along;
  float* const d = gradients + step.place * along;
  add_recurrent_product<Of, activation_kind::linear, Architecture>(
      step.has_before() ? gradients + step.before * along : nullptr, w, d, alpha, part,
      [&](float* block, std::int32_t rows, std::int32_t columns, std::int32_t)
          IPU_DSL_ALWAYS_INLINE_LAMBDA {
            for (std::int32_t row = 0; row < rows; ++row) {
              for (std::int32_t n = 0; n < columns; n += Architecture.lanes) {
                float* const at = block + row * Of.sample_stride(Architecture) + n;
                const std::ptrdiff_t place = at - gradients;
                const lanes state = load<lanes>(states + place + place / sample * more);
                store(at, gradient_through<Kind>(load<lanes>(at), state, alpha));
              }
            }
          });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
