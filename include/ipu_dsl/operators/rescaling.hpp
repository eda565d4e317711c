// SPDX-License-Identifier: MIT
// Code of Rescaling.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/rescaling.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/rescaling.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Rows are computed apart from each other, so grains are rows.
template <>
struct operators<&rescaling_family> {
  using key = rescaling_call;

  template <rescaling_call Call>
  static constexpr bool in_grains = true;

  template <rescaling_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr std::int32_t units = Call.units;
    const index_range mine = range_of(Call.rows, context.part);
    const std::int32_t rows = mine.end - mine.begin;
    const std::ptrdiff_t first = std::ptrdiff_t{mine.begin} * layout::row_stride(units);
    float* const written = floats(operands[0]) + first;
    if constexpr (Call.of_bytes != 0) {
      const auto* const bytes = static_cast<const std::uint8_t*>(operands[1]);
      kernels::rescale(bytes + std::ptrdiff_t{mine.begin} * units, written, rows, units, scalars[0],
                       scalars[1]);
    } else {
      kernels::rescale(floats(operands[1]) + first, written, rows, units, scalars[0], scalars[1]);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
