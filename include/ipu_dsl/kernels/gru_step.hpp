// SPDX-License-Identifier: MIT
// One step of a GRU over all samples, forward and back, that resets after the product:
//   h' = activation(x + r (h U + bias)).
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/gated_step.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What the kernels of a GRU are compiled for. Sequences of states [samples][steps][row_stride
/// (units)], of gates z r h, in Keras's order, [samples][steps][row_stride(3 units)].
struct gru_sequence {
  std::int32_t samples;
  std::int32_t steps;
  std::int32_t units;
  activation_kind activation;
  activation_kind of_gates;
  std::int32_t kept_steps;  ///< of states: `steps`, one more, or two where they are carried

  constexpr std::int32_t state_stride(layout::architecture target) const {
    return layout::row_stride(units, target);
  }

  constexpr std::int32_t gate_stride(layout::architecture target) const {
    return layout::row_stride(3 * units, target);
  }

  constexpr step_product forward(layout::architecture target) const {
    return {samples, units, 3 * units, kept_steps * state_stride(target),
            steps * gate_stride(target)};
  }

  /// Of the first `terms` gradients of gates.
  constexpr step_product back(std::int32_t terms, layout::architecture target) const {
    return {samples, terms, units, steps * gate_stride(target), steps * state_stride(target)};
  }
};

/// z before + (1 - z) candidate.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector blend(Vector update, Vector before, Vector candidate) {
  return multiply_add(update, before - candidate, candidate);
}

/// The gates of one sample, in place, from what inputs and states give to them, and its state.
template <activation_kind Kind, activation_kind OfGates, layout::architecture Architecture>
[[gnu::noinline]] void gru_state(float* gates, const float* recurrent, const float* state_before,
                                 float* state, std::int32_t units,
                                 const gate_alphas& alphas) noexcept {
  using lanes = vector<Architecture>;
  for_unit_vectors<Architecture>(units, [&](const auto& access,
                                            std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    float* const at = gates + n;
    const float* const given = recurrent + n;
    const lanes before = state_before == nullptr ? lanes(0.0F) : access.load_from(state_before + n);
    const lanes update =
        activate<OfGates>(access.load_from(at) + access.load_from(given), alphas.gates);
    const lanes reset = activate<OfGates>(
        access.load_from(at + units) + access.load_from(given + units), alphas.gates);
    const lanes candidate = activate<Kind>(
        multiply_add(reset, access.load_from(given + 2 * units), access.load_from(at + 2 * units)),
        alphas.state);
    access.store_to(at, update);
    access.store_to(at + units, reset);
    access.store_to(at + 2 * units, candidate);
    access.store_to(state + n, blend(update, before, candidate));
  });
  clear_padding(state, units, layout::row_stride(units, Architecture));
}

/// What the gradients of a GRU are made of and written to.
struct gru_gradients {
  float* states;     ///< that of the output; gets the whole gradients of the states
  float* gates;      ///< gets the gradients of the inputs' part of the gates
  float* recurrent;  ///< gets those of what states give to the gates
  float* carries;    ///< gets what goes to the state a step before, but through the gates
  const float* made_gates;
  const float* made_states;
  const float* made_recurrent;  ///< what the states gave to the gates
};

/// Of one sample. `carried` is what the step behind gives (none: null).
template <activation_kind Kind, activation_kind OfGates, layout::architecture Architecture>
[[gnu::noinline]] void gru_state_gradient(const gru_gradients& of, const float* state_before,
                                          const float* carried, std::int32_t units,
                                          const gate_alphas& alphas) noexcept {
  using lanes = vector<Architecture>;
  for_unit_vectors<Architecture>(units, [&](const auto& access,
                                            std::int32_t n) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    const lanes update = access.load_from(of.made_gates + n);
    const lanes reset = access.load_from(of.made_gates + units + n);
    const lanes candidate = access.load_from(of.made_gates + 2 * units + n);
    const lanes before = state_before == nullptr ? lanes(0.0F) : access.load_from(state_before + n);
    const lanes later = carried == nullptr ? lanes(0.0F) : access.load_from(carried + n);
    const lanes whole = access.load_from(of.states + n) + later;
    const lanes kept = whole * update;
    const lanes of_update =
        gradient_through<OfGates>(whole * (before - candidate), update, alphas.gates);
    const lanes of_candidate =
        gradient_through<Kind>(whole * (lanes(1.0F) - update), candidate, alphas.state);
    const lanes given = access.load_from(of.made_recurrent + 2 * units + n);
    const lanes of_reset = gradient_through<OfGates>(of_candidate * given, reset, alphas.gates);
    access.store_to(of.states + n, whole);
    access.store_to(of.carries + n, kept);
    access.store_to(of.gates + n, of_update);
    access.store_to(of.gates + units + n, of_reset);
    access.store_to(of.gates + 2 * units + n, of_candidate);
    access.store_to(of.recurrent + n, of_update);
    access.store_to(of.recurrent + units + n, of_reset);
    access.store_to(of.recurrent + 2 * units + n, of_candidate * reset);
  });
  const std::int32_t stride = layout::row_stride(3 * units, Architecture);
  clear_padding(of.gates, 3 * units, stride);
  clear_padding(of.recurrent, 3 * units, stride);
  clear_padding(of.carries, units, layout::row_stride(units, Architecture));
}

/// A step, or a grain of its samples. `gates` hold the inputs' part of all gates of every step and
/// get the gates, `recurrent` gets what the states give to them; `w` are panels of [units, 3
/// units], `bias` is that of the states, or null.
template <gru_sequence Of, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void gru_step(float* gates, float* recurrent, float* states, const float* w,
                                const float* bias, const walked_step& step,
                                const gate_alphas& alphas, const grain& part = {}) noexcept {
  constexpr step_product product = Of.forward(Architecture);
  constexpr std::int32_t gate_stride = Of.gate_stride(Architecture);
  constexpr std::ptrdiff_t along = Of.state_stride(Architecture);
  float* const sums = recurrent + std::ptrdiff_t{gate_stride} * step.place;
  const index_range tiles = range_of(product.tiles(Architecture).parts(), part);
  const index_range rows = product.rows_of(tiles, Architecture);
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    float* const to = sums + std::ptrdiff_t{row} * product.written_stride;
    for (std::int32_t n = 0; n < gate_stride; ++n) {
      to[n] = bias == nullptr ? 0.0F : bias[n];
    }
  }
  if (step.has_before()) {
    add_step_product<product, Architecture>(states + step.before * along, w, sums, tiles);
  }
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    float* const sample = states + std::ptrdiff_t{row} * product.read_stride;
    const std::ptrdiff_t first =
        std::ptrdiff_t{row} * product.written_stride + std::ptrdiff_t{gate_stride} * step.place;
    gru_state<Of.activation, Of.of_gates, Architecture>(
        gates + first, recurrent + first,
        step.has_before() ? sample + step.before * along : nullptr, sample + step.place * along,
        Of.units, alphas);
  }
}

/// A step back, or a grain of its samples, where the steps are walked back: `step.before` is the
/// one that follows from it. `w` are panels of the transposed weights, [3 units, units].
template <gru_sequence Of, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void gru_gradient_step(const gru_gradients& of, const float* w,
                                         const walked_step& step, const gate_alphas& alphas,
                                         const grain& part = {}) noexcept {
  constexpr step_product product = Of.back(3 * Of.units, Architecture);
  constexpr std::ptrdiff_t along = Of.state_stride(Architecture);
  constexpr std::ptrdiff_t along_gates = Of.gate_stride(Architecture);
  const index_range tiles = range_of(product.tiles(Architecture).parts(), part);
  if (step.has_before()) {
    add_step_product<product, Architecture>(of.recurrent + step.before * along_gates, w,
                                            of.states + step.place * along, tiles);
  }
  const index_range rows = product.rows_of(tiles, Architecture);
  for (std::int32_t row = rows.begin; row < rows.end; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * product.written_stride;
    const std::ptrdiff_t at = first + step.place * along;
    const std::ptrdiff_t at_gates =
        std::ptrdiff_t{row} * product.read_stride + step.place * along_gates;
    const float* const made = of.made_states + std::ptrdiff_t{row} * Of.kept_steps * along;
    const gru_gradients here = {of.states + at,
                                of.gates + at_gates,
                                of.recurrent + at_gates,
                                of.carries + at,
                                of.made_gates + at_gates,
                                nullptr,
                                of.made_recurrent + at_gates};
    gru_state_gradient<Of.activation, Of.of_gates, Architecture>(
        here, step.has_after() ? made + step.after * along : nullptr,
        step.has_before() ? of.carries + first + step.before * along : nullptr, Of.units, alphas);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
