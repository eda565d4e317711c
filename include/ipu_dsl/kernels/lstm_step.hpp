// SPDX-License-Identifier: MIT
// One step of an LSTM over all samples, forward and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/gated_step.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What the kernels of an LSTM are compiled for. Sequences of states [samples][steps][row_stride
/// (units)], of gates i f c o, in Keras's order, [samples][steps][row_stride(4 units)].
struct lstm_sequence {
  std::int32_t samples;
  std::int32_t steps;
  std::int32_t units;
  activation_kind activation;
  activation_kind of_gates;
  std::int32_t kept_steps;  ///< of states and cells: `steps`, one more, or two if they are carried

  constexpr std::int32_t state_stride(layout::architecture target) const {
    return layout::row_stride(units, target);
  }

  constexpr std::int32_t gate_stride(layout::architecture target) const {
    return layout::row_stride(4 * units, target);
  }

  constexpr step_product forward(layout::architecture target) const {
    return {samples, units, 4 * units, kept_steps * state_stride(target),
            steps * gate_stride(target)};
  }

  constexpr step_product back(layout::architecture target) const {
    return {samples, 4 * units, units, steps * gate_stride(target), steps * state_stride(target)};
  }
};

/// The gates of one sample from their sums, in place, then
///   cell = f cell_before + i c   and   state = o activation(cell).
template <activation_kind Kind, activation_kind OfGates, layout::architecture Architecture>
[[gnu::noinline]] void lstm_state(float* gates, const float* cell_before, float* cell, float* state,
                                  std::int32_t units, const gate_alphas& alphas) noexcept {
  using lanes = vector<Architecture>;
  for_unit_vectors<Architecture>(units, [&](const auto& access,
                                            std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    float* const at = gates + n;
    const lanes in = activate<OfGates>(access.load_from(at), alphas.gates);
    const lanes forget = activate<OfGates>(access.load_from(at + units), alphas.gates);
    const lanes candidate = activate<Kind>(access.load_from(at + 2 * units), alphas.state);
    const lanes out = activate<OfGates>(access.load_from(at + 3 * units), alphas.gates);
    const lanes before = cell_before == nullptr ? lanes(0.0F) : access.load_from(cell_before + n);
    const lanes kept = multiply_add(forget, before, in * candidate);
    access.store_to(at, in);
    access.store_to(at + units, forget);
    access.store_to(at + 2 * units, candidate);
    access.store_to(at + 3 * units, out);
    access.store_to(cell + n, kept);
    access.store_to(state + n, out * activate<Kind>(kept, alphas.state));
  });
  const std::int32_t stride = layout::row_stride(units, Architecture);
  clear_padding(cell, units, stride);
  clear_padding(state, units, stride);
}

/// The gradients of the sums that the gates of one sample are made of, from that of its state and
/// from `carried`, that of its cell as far as the next step made it (none: null), and `given`, what
/// is given to it besides (none: null). To the step before goes `carries`.
template <activation_kind Kind, activation_kind OfGates, layout::architecture Architecture>
[[gnu::noinline]] void lstm_state_gradient(const float* gates, const float* cell_before,
                                           const float* cell, const float* gradient,
                                           const float* carried, const float* given,
                                           float* gate_gradients, float* carries,
                                           std::int32_t units, const gate_alphas& alphas) noexcept {
  using lanes = vector<Architecture>;
  for_unit_vectors<Architecture>(units, [&](const auto& access,
                                            std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const lanes in = access.load_from(gates + n);
    const lanes forget = access.load_from(gates + units + n);
    const lanes candidate = access.load_from(gates + 2 * units + n);
    const lanes out = access.load_from(gates + 3 * units + n);
    const lanes before = cell_before == nullptr ? lanes(0.0F) : access.load_from(cell_before + n);
    const lanes behind = carried == nullptr ? lanes(0.0F) : access.load_from(carried + n);
    const lanes later = given == nullptr ? behind : behind + access.load_from(given + n);
    const lanes shown = activate<Kind>(access.load_from(cell + n), alphas.state);
    const lanes of_state = access.load_from(gradient + n);
    const lanes of_cell =
        multiply_add(of_state * out, derivative_from_output<Kind>(shown, alphas.state), later);
    float* const to = gate_gradients + n;
    access.store_to(to, gradient_through<OfGates>(of_cell * candidate, in, alphas.gates));
    access.store_to(to + units, gradient_through<OfGates>(of_cell * before, forget, alphas.gates));
    access.store_to(to + 2 * units, gradient_through<Kind>(of_cell * in, candidate, alphas.state));
    access.store_to(to + 3 * units, gradient_through<OfGates>(of_state * shown, out, alphas.gates));
    access.store_to(carries + n, of_cell * forget);
  });
  clear_padding(gate_gradients, 4 * units, layout::row_stride(4 * units, Architecture));
  clear_padding(carries, units, layout::row_stride(units, Architecture));
}

/// A step, or a grain of its samples. `gates` hold the inputs' part of all gates of every step and
/// get the gates, `w` are panels of [units, 4 units].
template <lstm_sequence Of, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void lstm_step(float* gates, float* cells, float* states, const float* w,
                                 const walked_step& step, const gate_alphas& alphas,
                                 const grain& part = {}) noexcept {
  constexpr step_product product = Of.forward(Architecture);
  constexpr std::ptrdiff_t along = Of.state_stride(Architecture);
  float* const sums = gates + std::ptrdiff_t{Of.gate_stride(Architecture)} * step.place;
  const index_range tiles = range_of(product.tiles(Architecture).parts(), part);
  if (step.has_before()) {
    add_step_product<product, Architecture>(states + step.before * along, w, sums, tiles);
  }
  const index_range rows = product.rows_of(tiles, Architecture);
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * product.read_stride;
    lstm_state<Of.activation, Of.of_gates, Architecture>(
        sums + std::ptrdiff_t{row} * product.written_stride,
        step.has_before() ? cells + first + step.before * along : nullptr,
        cells + first + step.place * along, states + first + step.place * along, Of.units, alphas);
  }
}

/// What the gradients of an LSTM are made of and written to.
struct lstm_gradients {
  float* states;   ///< that of the output; gets the whole gradients of the states
  float* gates;    ///< gets the gradients of the sums of the gates
  float* carries;  ///< gets what goes to the cell a step before
  const float* made_gates;
  const float* made_cells;
  const float* of_last_cell;  ///< [samples][row_stride(units)], what is given besides; or null
  const float* of_cells;      ///< a sequence of the same, for every step; or null
};

/// A step back, or a grain of its samples, where the steps are walked back: `step.before` is the
/// one that follows from it. `w` are panels of the transposed weights, [4 units, units].
template <lstm_sequence Of, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void lstm_gradient_step(const lstm_gradients& of, const float* w,
                                          const walked_step& step, const gate_alphas& alphas,
                                          const grain& part = {}) noexcept {
  constexpr step_product product = Of.back(Architecture);
  constexpr std::ptrdiff_t along = Of.state_stride(Architecture);
  constexpr std::ptrdiff_t along_gates = Of.gate_stride(Architecture);
  const index_range tiles = range_of(product.tiles(Architecture).parts(), part);
  if (step.has_before()) {
    add_step_product<product, Architecture>(of.gates + step.before * along_gates, w,
                                            of.states + step.place * along, tiles);
  }
  const index_range rows = product.rows_of(tiles, Architecture);
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * product.written_stride;
    const std::ptrdiff_t at = first + step.place * along;
    const float* const cells = of.made_cells + std::ptrdiff_t{row} * Of.kept_steps * along;
    const float* const of_last_cell =
        of.of_last_cell == nullptr ? nullptr : of.of_last_cell + row * along;
    const std::ptrdiff_t at_gates =
        std::ptrdiff_t{row} * product.read_stride + step.place * along_gates;
    lstm_state_gradient<Of.activation, Of.of_gates, Architecture>(
        of.made_gates + at_gates, step.has_after() ? cells + step.after * along : nullptr,
        cells + step.place * along, of.states + at,
        step.has_before() ? of.carries + first + step.before * along : of_last_cell,
        of.of_cells == nullptr ? nullptr : of.of_cells + at, of.gates + at_gates, of.carries + at,
        Of.units, alphas);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
