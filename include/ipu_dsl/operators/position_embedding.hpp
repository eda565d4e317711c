// SPDX-License-Identifier: MIT
// PositionEmbedding: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/position_embedding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/position_embedding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Forward, grains are positions of samples; backward those of the table.
template <>
struct operators<&position_embedding_family> {
  using key = position_embedding_call;

  template <position_embedding_call Call>
  static constexpr bool in_grains = true;

  template <position_embedding_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    if constexpr (Call.variant == position_embedding_variant::forward) {
      kernels::add_positions(floats(operands[1]), floats(operands[2]), floats(operands[0]),
                             Call.positions, Call.features,
                             range_of(Call.batch * Call.positions, context.part));
    } else {
      kernels::sum_positions(floats(operands[1]), floats(operands[0]), Call.batch, Call.positions,
                             Call.features, context.continues,
                             range_of(Call.positions, context.part));
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
