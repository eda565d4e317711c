// SPDX-License-Identifier: MIT
// What layers of sequences hand over and carry: copies of steps.
#pragma once

#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_ends.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&sequence_ends_family> {
  using key = sequence_ends_call;

  template <sequence_ends_call Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    constexpr std::int32_t along = layout::row_stride(Call.units);
    constexpr std::ptrdiff_t sample = std::ptrdiff_t{along} * Call.steps;
    [[maybe_unused]] constexpr std::ptrdiff_t longer = std::ptrdiff_t{along} * Call.kept;
    constexpr std::ptrdiff_t place = std::ptrdiff_t{along} * Call.position;
    float* const made = floats(operands[0]);
    float* const read = floats(operands[Call.variant == sequence_ends_variant::cleared ? 0 : 1]);
    if constexpr (Call.variant == sequence_ends_variant::cleared) {
      kernels::clear_tensor(made, Call.batch * sample);
    } else if constexpr (Call.variant == sequence_ends_variant::taken) {
      kernels::copy_columns(read + place, sample, made, along, Call.batch, along);
    } else if constexpr (Call.variant == sequence_ends_variant::placed) {
      kernels::clear_tensor(made, Call.batch * sample);
      kernels::copy_columns(read, along, made + place, sample, Call.batch, along);
    } else if constexpr (Call.variant == sequence_ends_variant::added) {
      for (std::int32_t row = 0; row < Call.batch; ++row) {
        float* const at = made + row * sample + place;
        const float* const terms[] = {at, read + std::ptrdiff_t{row} * along};
        kernels::sum_tensors(terms, 2, at, along);
      }
    } else if constexpr (Call.variant == sequence_ends_variant::put) {
      kernels::copy_columns(read, along, made + place, sample, Call.batch, along);
    } else if constexpr (Call.variant == sequence_ends_variant::kept) {
      kernels::copy_columns(read, sample, made + along, sample, Call.batch, along);
    } else if constexpr (Call.variant == sequence_ends_variant::moved) {
      for (std::int32_t step = 0; step + 1 < Call.steps; ++step) {
        const std::ptrdiff_t to = std::ptrdiff_t{along} * step;
        kernels::copy_columns(read + to + along, sample, made + to, sample, Call.batch, along);
      }
    } else if constexpr (Call.variant == sequence_ends_variant::copied) {
      const float* terms[] = {read};
      kernels::sum_tensors(terms, 1, made, Call.batch * sample);
    } else if constexpr (Call.variant == sequence_ends_variant::taken_all) {
      kernels::copy_columns(read + place, longer, made, sample, Call.batch, sample);
    } else if constexpr (Call.variant == sequence_ends_variant::put_all) {
      kernels::copy_columns(read, sample, made + place, longer, Call.batch, sample);
    } else {
      for (std::int32_t step = 0; step < Call.steps; ++step) {
        const std::ptrdiff_t from = std::ptrdiff_t{along} * (Call.steps - 1 - step);
        kernels::copy_columns(read + from, longer, made + std::ptrdiff_t{along} * step, sample,
                              Call.batch, along);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
