// SPDX-License-Identifier: MIT
// One step of a GRU over all samples, forward and back, that resets before the product:
//   h' = activation(x + (r h) U).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/kernels/gru_step.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A part of panels of [rows, units]: as many rows as there are terms, and some of the columns.
struct part_of_panels {
  std::int32_t rows;  ///< of the panels
  std::int32_t first_row;
  std::int32_t first_column;
  std::int32_t end_column;
};

/// Adds x times a part of w to those columns of y, for the rows of some tiles, which are chains as
/// those of `add_step_product` are. Of a panel that has other columns as well a copy is computed.
template <step_product Of, part_of_panels Part, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void add_part_of_product(const float* x, const float* w, float* y,
                                               const index_range& tiles) {
  // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
  constexpr panel_columns columns(Of.units, Architecture);
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr int rest_vectors = columns.rest_vectors;
  constexpr int full_panels = columns.full_panels;
  constexpr int read_stride = Of.read_stride;
  constexpr int written_stride = Of.written_stride;
  constexpr int terms = Of.terms;
  constexpr int first_column = Part.first_column;
  constexpr int end_column = Part.end_column;
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Part.rows} * width;
  constexpr std::ptrdiff_t first_row = std::ptrdiff_t{Part.first_row} * width;
  constexpr int limit = layout::max_tile_rows(vectors, Architecture);
  const auto one_panel = [&](auto panel_vectors, std::int32_t panel) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const std::int32_t begin = panel * width < first_column ? first_column : panel * width;
    const std::int32_t behind = panel * width + panel_vectors * Architecture.lanes;
    const std::int32_t end = behind > end_column ? end_column : behind;
    parts_of<Of.samples, limit>(tiles, [&](auto rows,
                                           std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      float block[std::size_t{rows} * std::size_t{width}] = {};
      float* const to = y + std::ptrdiff_t{first} * written_stride;
      for (std::int32_t row = 0; row < rows; ++row) {
        for (std::int32_t n = begin; n < end; ++n) {
          block[row * width + n - panel * width] = to[row * written_stride + n];
        }
      }
      product_tile<Architecture, rows, panel_vectors, width, read_stride, activation_kind::linear>(
          x + std::ptrdiff_t{first} * read_stride, w + panel * panel_size + first_row, nullptr,
          block, width, terms, 0.0F, {false, true});
      for (std::int32_t row = 0; row < rows; ++row) {
        for (std::int32_t n = begin; n < end; ++n) {
          to[row * written_stride + n] = block[row * width + n - panel * width];
        }
      }
    });
  };
  for (std::int32_t panel = first_column / width; panel < full_panels && panel * width < end_column;
       ++panel) {
    one_panel(std::integral_constant<int, vectors>(), panel);
  }
  if constexpr (rest_vectors > 0 && end_column > full_panels * width) {
    one_panel(std::integral_constant<int, rest_vectors>(), full_panels);
  }
}

// Sequences of what the recurrent kernel multiplies are [samples][2 steps][row_stride(units)]: the
// states before, then the same that were reset; those of the gradients [samples][2 steps]
// [row_stride(3 units)]: of gates z r, then of h.

/// A step, or a grain of its samples. `gates` hold the inputs' part of all gates of every step and
/// get the gates, `factors` get what the recurrent kernel multiplies; `w` are panels of [units, 3
/// units].
template <gru_sequence Of, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void gru_reset_first_step(float* gates, float* factors, float* states,
                                            const float* w, const walked_step& step,
                                            const gate_alphas& alphas,
                                            const grain& part = {}) noexcept {
  using lanes = vector<Architecture>;
  constexpr step_product of_gates = Of.forward(Architecture);
  constexpr step_product of_candidates =
      of_gates.reading(2 * Of.steps * Of.state_stride(Architecture));
  constexpr std::int32_t units = Of.units;
  constexpr std::ptrdiff_t along = Of.state_stride(Architecture);
  constexpr std::ptrdiff_t reset_at = along * Of.steps;
  float* const sums = gates + std::ptrdiff_t{Of.gate_stride(Architecture)} * step.place;
  float* const before = factors + along * step.place;
  const index_range tiles = range_of(of_gates.tiles(Architecture).parts(), part);
  const index_range rows = of_gates.rows_of(tiles, Architecture);
  if (step.has_before()) {
    add_part_of_product<of_gates, part_of_panels{units, 0, 0, 2 * units}, Architecture>(
        states + step.before * along, w, sums, tiles);
  }
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    const float* const given = states + std::ptrdiff_t{row} * of_gates.read_stride;
    float* const at = sums + std::ptrdiff_t{row} * of_gates.written_stride;
    float* const kept = before + std::ptrdiff_t{row} * of_candidates.read_stride;
    for_unit_vectors<Architecture>(
        units, [&](const auto& access, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const lanes state =
              step.has_before() ? access.load_from(given + step.before * along + n) : lanes(0.0F);
          const lanes reset = activate<Of.of_gates>(access.load_from(at + units + n), alphas.gates);
          access.store_to(at + n, activate<Of.of_gates>(access.load_from(at + n), alphas.gates));
          access.store_to(at + units + n, reset);
          access.store_to(kept + n, state);
          access.store_to(kept + reset_at + n, reset * state);
        });
    clear_padding(kept, units, Of.state_stride(Architecture));
    clear_padding(kept + reset_at, units, Of.state_stride(Architecture));
  }
  if (step.has_before()) {
    add_part_of_product<of_candidates, part_of_panels{units, 0, 2 * units, 3 * units},
                        Architecture>(before + reset_at, w, sums, tiles);
  }
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    float* const at = sums + std::ptrdiff_t{row} * of_gates.written_stride;
    float* const state = states + std::ptrdiff_t{row} * of_gates.read_stride + step.place * along;
    const float* const kept = before + std::ptrdiff_t{row} * of_candidates.read_stride;
    for_unit_vectors<Architecture>(
        units, [&](const auto& access, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const lanes candidate =
              activate<Of.activation>(access.load_from(at + 2 * units + n), alphas.state);
          access.store_to(at + 2 * units + n, candidate);
          access.store_to(state + n,
                          blend(access.load_from(at + n), access.load_from(kept + n), candidate));
        });
    clear_padding(state, units, Of.state_stride(Architecture));
  }
}

/// A step back, or a grain of its samples, where the steps are walked back: `step.before` is the
/// one that follows from it. Of `of` the recurrent gradients are pairs, and what the states gave
/// are the factors; `w` are panels of the transposed weights, [3 units, units].
template <gru_sequence Of, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void gru_reset_first_gradient_step(const gru_gradients& of, const float* w,
                                                     const walked_step& step,
                                                     const gate_alphas& alphas,
                                                     const grain& part = {}) noexcept {
  using lanes = vector<Architecture>;
  constexpr step_product of_gates = Of.back(2 * Of.units, Architecture);
  constexpr step_product of_candidates = Of.back(Of.units, Architecture);
  constexpr std::int32_t units = Of.units;
  constexpr std::ptrdiff_t along = Of.state_stride(Architecture);
  constexpr std::ptrdiff_t along_gates = Of.gate_stride(Architecture);
  const index_range tiles = range_of(of_gates.tiles(Architecture).parts(), part);
  const index_range rows = of_gates.rows_of(tiles, Architecture);
  if (step.has_before()) {
    add_part_of_product<of_gates, part_of_panels{3 * units, 0, 0, units}, Architecture>(
        of.gates + step.before * along_gates, w, of.states + step.place * along, tiles);
  }
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * of_gates.written_stride;
    const std::ptrdiff_t at = first + step.place * along;
    const std::ptrdiff_t at_gates =
        std::ptrdiff_t{row} * of_gates.read_stride + step.place * along_gates;
    const float* const factors = of.made_recurrent + 2 * first + step.place * along;
    for_unit_vectors<Architecture>(units, [&](const auto& access,
                                              std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const float* const gates = of.made_gates + at_gates + n;
      const lanes update = access.load_from(gates);
      const lanes candidate = access.load_from(gates + 2 * units);
      const lanes later = step.has_before()
                              ? access.load_from(of.carries + first + step.before * along + n)
                              : lanes(0.0F);
      const lanes whole = access.load_from(of.states + at + n) + later;
      const lanes change = access.load_from(factors + n) - candidate;
      float* const to = of.gates + at_gates + n;
      access.store_to(of.states + at + n, whole);
      access.store_to(to, gradient_through<Of.of_gates>(whole * change, update, alphas.gates));
      access.store_to(to + 2 * units, gradient_through<Of.activation>(
                                          whole * (lanes(1.0F) - update), candidate, alphas.state));
    });
    clear_padding(of.gates + at_gates, 3 * units, Of.gate_stride(Architecture));
    clear_padding(of.carries + at, 0, Of.state_stride(Architecture));
  }
  // The gradient of the states that were reset.
  add_part_of_product<of_candidates, part_of_panels{3 * units, 2 * units, 0, units}, Architecture>(
      of.gates + step.place * along_gates + 2 * units, w, of.carries + step.place * along, tiles);
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * of_gates.written_stride;
    const std::ptrdiff_t at = first + step.place * along;
    const std::ptrdiff_t first_gates = std::ptrdiff_t{row} * of_gates.read_stride;
    const std::ptrdiff_t at_gates = first_gates + step.place * along_gates;
    const float* const factors = of.made_recurrent + 2 * first + step.place * along;
    float* const pair = of.recurrent + 2 * first_gates + step.place * along_gates;
    float* const pair_of_candidate = pair + Of.steps * along_gates;
    for_unit_vectors<Architecture>(
        units, [&](const auto& access, std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
          const float* const gates = of.made_gates + at_gates + n;
          const lanes update = access.load_from(gates);
          const lanes reset = access.load_from(gates + units);
          const lanes of_product = access.load_from(of.carries + at + n);
          const lanes kept = access.load_from(of.states + at + n) * update;
          const lanes of_reset = gradient_through<Of.of_gates>(
              of_product * access.load_from(factors + n), reset, alphas.gates);
          float* const to = of.gates + at_gates + n;
          access.store_to(to + units, of_reset);
          access.store_to(pair + n, access.load_from(to));
          access.store_to(pair + units + n, of_reset);
          access.store_to(pair + 2 * units + n, lanes(0.0F));
          access.store_to(pair_of_candidate + n, lanes(0.0F));
          access.store_to(pair_of_candidate + units + n, lanes(0.0F));
          access.store_to(pair_of_candidate + 2 * units + n, access.load_from(to + 2 * units));
          access.store_to(of.carries + at + n, multiply_add(of_product, reset, kept));
        });
    clear_padding(pair, 3 * units, Of.gate_stride(Architecture));
    clear_padding(pair_of_candidate, 3 * units, Of.gate_stride(Architecture));
    clear_padding(of.carries + at, units, Of.state_stride(Architecture));
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
