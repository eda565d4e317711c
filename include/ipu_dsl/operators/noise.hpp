// SPDX-License-Identifier: MIT
// Code of noise in training.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/noise.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/noise.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is drawn belongs to the sample's number, so forward, backward and any schedule draw the
/// same.
template <>
struct operators<&noise_family> {
  using key = noise_call;

  template <noise_call Call>
  static constexpr bool in_grains = true;

  template <noise_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr std::int32_t elements = Call.elements;
    constexpr std::int32_t positions = Call.positions;
    // Channels are drawn once for all positions of a sample.
    constexpr std::int32_t drawn = Call.kind == noise_kind::spatial_dropout ? 1 : positions;
    const index_range samples = range_of(Call.batch, context.part);
    const std::int32_t count = samples.end - samples.begin;
    const std::uint64_t first_sample =
        context.samples_before() + static_cast<std::uint64_t>(samples.begin);
    const kernels::noise_place place{
        .seed = context.seed,
        .stream = context.stream,
        .first_element = first_sample * std::uint64_t{drawn} * std::uint64_t{elements}};
    const std::ptrdiff_t first =
        std::ptrdiff_t{samples.begin} * positions * layout::row_stride(elements);
    const float* const read = floats(operands[1]) + first;
    float* const written = floats(operands[0]) + first;
    if constexpr (Call.kind == noise_kind::gaussian) {
      const kernels::added_noise rule{static_cast<double>(scalars[0])};
      kernels::disturb(read, written, count * positions, elements, rule, place);
    } else if constexpr (Call.kind == noise_kind::gaussian_dropout) {
      const kernels::multiplied_noise rule(scalars[0]);
      kernels::disturb(read, written, count * positions, elements, rule, place);
    } else if constexpr (Call.kind == noise_kind::alpha_dropout) {
      const kernels::alpha_noise rule(scalars[0], Call.is_gradient != 0);
      kernels::disturb(read, written, count * positions, elements, rule, place);
    } else {
      kernels::drop_channels(read, written, count, positions, elements, scalars[0], place);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
