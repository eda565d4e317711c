// SPDX-License-Identifier: MIT
// Code of Dropout.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dropout.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The mask is that of the sample's number, so forward, backward and any schedule make the same.
template <>
struct operators<&dropout_family> {
  using key = dropout_call;

  template <dropout_call Call>
  static constexpr bool in_grains = true;

  template <dropout_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr std::int32_t elements = Call.elements;
    constexpr std::int32_t positions = Call.positions;
    const index_range samples = range_of(Call.batch, context.part);
    const index_range mine = {samples.begin * positions, samples.end * positions};
    const std::uint64_t first_row = context.samples_before() * std::uint64_t{positions} +
                                    static_cast<std::uint64_t>(mine.begin);
    const std::ptrdiff_t first = std::ptrdiff_t{mine.begin} * layout::row_stride(elements);
    const kernels::dropout_mask mask{
        .seed = context.seed,
        .stream = context.stream,
        .first_element = first_row * static_cast<std::uint64_t>(elements),
        .rate = context.training ? scalars[0] : 0.0F};
    kernels::dropout(floats(operands[1]) + first, floats(operands[0]) + first,
                     mine.end - mine.begin, elements, mask);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
