// SPDX-License-Identifier: MIT
// Sequences of which not all steps are there: these are put one behind the other, and what was made
// of them goes back to their places.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Sequences [samples][steps][row_stride(units)] and masks [samples][row_stride(steps)], 1 of a
/// step that is there. They are walked from their first step or from their last; step k of those
/// that are there is packed to place k of the walk.
struct masked_steps {
  std::int32_t samples;
  std::int32_t steps;
  std::int32_t units;
  bool from_last;
  bool is_given;  ///< states have one more place, of what is before the first of the walk

  constexpr std::ptrdiff_t along() const { return layout::row_stride(units); }

  constexpr std::ptrdiff_t sample() const { return steps * along(); }

  /// The place of the `number`-th step of the walk.
  constexpr std::int32_t place(std::int32_t number) const {
    return from_last ? steps - 1 - number : number;
  }

  /// The same of the state behind it, of which those of a sample are so many numbers; of -1 that
  /// of what is given.
  constexpr std::int32_t place_of_state(std::int32_t number) const {
    return place(number) + (is_given && !from_last ? 1 : 0);
  }

  constexpr std::ptrdiff_t states() const { return (steps + (is_given ? 1 : 0)) * along(); }

  const float* mask_of(const float* masks, std::int32_t row) const {
    return masks + std::ptrdiff_t{row} * layout::row_stride(steps);
  }

  /// How many steps of a sample are there.
  std::int32_t count(const float* mask) const {
    std::int32_t there = 0;
    for (std::int32_t step = 0; step < steps; ++step) {
      there += mask[step] != 0.0F ? 1 : 0;
    }
    return there;
  }
};

/// The steps that are there, packed; zeros behind them.
template <masked_steps Of>
void pack_steps(const float* x, const float* masks, float* packed) noexcept {
  clear_tensor(packed, Of.samples * Of.sample());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    const std::ptrdiff_t first = row * Of.sample();
    std::int32_t there = 0;
    for (std::int32_t number = 0; number < Of.steps; ++number) {
      const std::int32_t step = Of.place(number);
      if (mask[step] != 0.0F) {
        copy_columns(x + first + step * Of.along(), 0,
                     packed + first + Of.place(there) * Of.along(), 0, 1,
                     layout::row_stride(Of.units));
        ++there;
      }
    }
  }
}

/// The gradient of what was packed, back at the places of its steps; zeros at the others.
template <masked_steps Of>
void unpack_steps(const float* packed, const float* masks, float* x) noexcept {
  clear_tensor(x, Of.samples * Of.sample());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    const std::ptrdiff_t first = row * Of.sample();
    std::int32_t there = 0;
    for (std::int32_t number = 0; number < Of.steps; ++number) {
      const std::int32_t step = Of.place(number);
      if (mask[step] != 0.0F) {
        copy_columns(packed + first + Of.place(there) * Of.along(), 0,
                     x + first + step * Of.along(), 0, 1, layout::row_stride(Of.units));
        ++there;
      }
    }
  }
}

/// At each step the state behind the last that is there up to it in the walk, zeros before the
/// first. They stand at the places of their steps, or with `in_order` in the order of the walk.
template <masked_steps Of, bool InOrder>
void repeat_states(const float* states, const float* masks, float* output) noexcept {
  clear_tensor(output, Of.samples * Of.sample());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    const std::ptrdiff_t first = row * Of.sample();
    std::int32_t there = 0;
    for (std::int32_t number = 0; number < Of.steps; ++number) {
      const std::int32_t step = Of.place(number);
      there += mask[step] != 0.0F ? 1 : 0;
      if (there > 0) {
        const std::int32_t to = InOrder ? number : step;
        copy_columns(states + row * Of.states() + Of.place_of_state(there - 1) * Of.along(), 0,
                     output + first + to * Of.along(), 0, 1, layout::row_stride(Of.units));
      }
    }
  }
}

/// The gradients of the states, from those of all steps in the order of the walk.
template <masked_steps Of, bool InOrder>
void sum_state_gradients(const float* output, const float* masks, float* states) noexcept {
  clear_tensor(states, Of.samples * Of.sample());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    const std::ptrdiff_t first = row * Of.sample();
    std::int32_t there = 0;
    for (std::int32_t number = 0; number < Of.steps; ++number) {
      const std::int32_t step = Of.place(number);
      there += mask[step] != 0.0F ? 1 : 0;
      if (there > 0) {
        const std::int32_t from = InOrder ? number : step;
        float* const at = states + first + Of.place(there - 1) * Of.along();
        const float* const terms[] = {at, output + first + from * Of.along()};
        sum_tensors(terms, 2, at, layout::row_stride(Of.units));
      }
    }
  }
}

/// The state behind the last step that is there; without one zeros, or what was given: vectors
/// [samples][row_stride(units)].
template <masked_steps Of, bool OrGiven>
void take_last_state(const float* states, const float* masks, float* vectors) noexcept {
  clear_tensor(vectors, Of.samples * Of.along());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const std::int32_t there = Of.count(Of.mask_of(masks, row));
    if (there > 0 || OrGiven) {
      copy_columns(states + row * Of.states() + Of.place_of_state(there - 1) * Of.along(), 0,
                   vectors + row * Of.along(), 0, 1, layout::row_stride(Of.units));
    }
  }
}

/// Of two states [samples][2][row_stride(units)] the first becomes the second in samples whose one
/// step is masked.
template <masked_steps Of>
void hold_state(float* states, const float* masks) noexcept {
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    float* const own = states + row * 2 * Of.along();
    if (*Of.mask_of(masks, row) == 0.0F) {
      copy_columns(own + Of.along(), 0, own, 0, 1, layout::row_stride(Of.units));
    }
  }
}

/// The gradient of a last state is added to those of all.
template <masked_steps Of>
void add_last_gradient(const float* vectors, const float* masks, float* states) noexcept {
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const std::int32_t there = Of.count(Of.mask_of(masks, row));
    if (there > 0) {
      float* const at = states + row * Of.sample() + Of.place(there - 1) * Of.along();
      const float* const terms[] = {at, vectors + row * Of.along()};
      sum_tensors(terms, 2, at, layout::row_stride(Of.units));
    }
  }
}

/// The gradient of a last state is added to that of what was given in samples without a step.
template <masked_steps Of>
void add_to_given(const float* vectors, const float* masks, float* given) noexcept {
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    if (Of.count(Of.mask_of(masks, row)) == 0) {
      float* const at = given + row * Of.along();
      const float* const terms[] = {at, vectors + row * Of.along()};
      sum_tensors(terms, 2, at, Of.along());
    }
  }
}

/// The mean of the steps that are there, summed in their order; zeros without one: vectors
/// [samples][row_stride(units)].
template <masked_steps Of>
void mean_of_steps(const float* x, const float* masks, float* vectors) noexcept {
  clear_tensor(vectors, Of.samples * Of.along());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    float* const made = vectors + row * Of.along();
    for (std::int32_t step = 0; step < Of.steps; ++step) {
      if (mask[step] != 0.0F) {
        const float* const terms[] = {made, x + row * Of.sample() + step * Of.along()};
        sum_tensors(terms, 2, made, Of.along());
      }
    }
    const std::int32_t there = Of.count(mask);
    for (std::int32_t n = 0; there > 0 && n < Of.units; ++n) {
      made[n] = made[n] / static_cast<float>(there);
    }
  }
}

/// The gradient of the mean: equal parts to the steps that are there, zeros to the others.
template <masked_steps Of>
void spread_mean(const float* vectors, const float* masks, float* x) noexcept {
  clear_tensor(x, Of.samples * Of.sample());
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    const float* const d = vectors + row * Of.along();
    const auto there = static_cast<float>(Of.count(mask));
    for (std::int32_t step = 0; step < Of.steps; ++step) {
      float* const at = x + row * Of.sample() + step * Of.along();
      for (std::int32_t n = 0; mask[step] != 0.0F && n < Of.units; ++n) {
        at[n] = d[n] / there;
      }
    }
  }
}

/// Of so many masks as `units` says the one of the steps that are there by all of them.
template <masked_steps Of>
void join_masks(const float* const* masks, float* made) noexcept {
  for (std::ptrdiff_t i = 0; i < Of.samples * layout::row_stride(Of.steps); ++i) {
    bool there = true;
    for (std::int32_t n = 0; n < Of.units; ++n) {
      there = there && masks[n][i] != 0.0F;
    }
    made[i] = there ? 1.0F : 0.0F;
  }
}

/// Of sequences the mask: 1 where a number of a step is not `value`; and the sequences, with zeros
/// at the other steps.
template <masked_steps Of>
void mask_steps(const float* x, float* y, float* masks, float value) noexcept {
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    float* const mask = masks + std::ptrdiff_t{row} * layout::row_stride(Of.steps);
    for (std::int32_t step = 0; step < Of.steps; ++step) {
      const std::ptrdiff_t at = row * Of.sample() + step * Of.along();
      bool there = false;
      for (std::int32_t n = 0; n < Of.units; ++n) {
        there = there || x[at + n] != value;
      }
      mask[step] = there ? 1.0F : 0.0F;
      for (std::int32_t n = 0; n < Of.units; ++n) {
        y[at + n] = there ? x[at + n] : 0.0F;
      }
      clear_padding(y + at, Of.units, layout::row_stride(Of.units));
    }
    clear_padding(mask, Of.steps, layout::row_stride(Of.steps));
  }
}

/// The gradient of the sequences: nothing goes to steps that are not there.
template <masked_steps Of>
void mask_gradients(const float* d, const float* masks, float* x) noexcept {
  for (std::int32_t row = 0; row < Of.samples; ++row) {
    const float* const mask = Of.mask_of(masks, row);
    for (std::int32_t step = 0; step < Of.steps; ++step) {
      const std::ptrdiff_t at = row * Of.sample() + step * Of.along();
      for (std::int32_t n = 0; n < Of.units; ++n) {
        x[at + n] = mask[step] != 0.0F ? d[at + n] : 0.0F;
      }
      clear_padding(x + at, Of.units, layout::row_stride(Of.units));
    }
  }
}

/// Of the numbers of words the mask: word 0 is none.
inline void mask_words(const std::int32_t* words, float* masks, std::int32_t samples,
                       std::int32_t steps) noexcept {
  for (std::int32_t row = 0; row < samples; ++row) {
    float* const mask = masks + std::ptrdiff_t{row} * layout::row_stride(steps);
    for (std::int32_t step = 0; step < steps; ++step) {
      mask[step] = words[std::ptrdiff_t{row} * steps + step] != 0 ? 1.0F : 0.0F;
    }
    clear_padding(mask, steps, layout::row_stride(steps));
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
