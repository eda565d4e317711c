// SPDX-License-Identifier: MIT
// Between rows and positions: the same elements with other padding.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Samples are moved apart from each other.
template <>
struct operators<&repack_family> {
  using key = repack_call;

  template <repack_call Call>
  static constexpr bool in_grains = true;

  template <repack_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t positions = Call.positions;
    constexpr std::int32_t features = Call.features;
    constexpr std::int32_t elements = positions * features;
    constexpr std::int32_t whole = layout::row_stride(elements);
    constexpr std::int32_t padded = layout::row_stride(features);
    constexpr bool to_rows = Call.to_rows != 0;
    constexpr std::ptrdiff_t apart = std::ptrdiff_t{positions} * padded;
    const index_range samples = range_of(Call.batch, context.part);
    for (std::int32_t sample = samples.begin; sample < samples.end; ++sample) {
      float* const written = floats(operands[0]) + sample * (to_rows ? whole : apart);
      const float* const read = floats(operands[1]) + sample * (to_rows ? apart : whole);
      if constexpr (to_rows) {
        kernels::copy_columns(read, padded, written, features, positions, features);
        kernels::clear_columns(written + elements, 0, 1, whole - elements);
      } else {
        kernels::copy_columns(read, features, written, padded, positions, features);
        kernels::clear_columns(written + features, padded, positions, padded - features);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
