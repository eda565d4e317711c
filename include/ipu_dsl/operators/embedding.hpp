// SPDX-License-Identifier: MIT
// Embedding: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/embedding.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/embedding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Forward, grains are samples; backward they are features, because samples add to the same rows.
template <>
struct operators<&embedding_family> {
  using key = embedding_call;

  template <embedding_call Call>
  static constexpr bool in_grains = true;

  template <embedding_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t positions = Call.positions;
    constexpr std::int32_t features = Call.features;
    constexpr bool in_one_row = Call.in_one_row != 0;
    constexpr std::int32_t stride = in_one_row ? features : layout::row_stride(features);
    constexpr std::int32_t sample_stride =
        in_one_row ? layout::row_stride(positions * features) : positions * stride;
    const std::int32_t* const words = integers(operands[2]);
    if constexpr (Call.variant == embedding_variant::forward) {
      const index_range samples = range_of(Call.batch, context.part);
      for (std::int32_t sample = samples.begin; sample < samples.end; ++sample) {
        float* const written = floats(operands[0]) + std::ptrdiff_t{sample} * sample_stride;
        kernels::gather_rows(floats(operands[1]), words + sample * positions, written, positions,
                             features, stride);
        kernels::clear_padding(written, positions * stride, sample_stride);
      }
    } else {
      const index_range mine = range_of(features, context.part);
      if (!context.continues) {
        kernels::clear_features(floats(operands[0]), Call.words, features, mine);
      }
      for (std::int32_t sample = 0; sample < Call.batch; ++sample) {
        kernels::scatter_rows(floats(operands[1]) + std::ptrdiff_t{sample} * sample_stride,
                              words + sample * positions, floats(operands[0]), positions, features,
                              stride, mine);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
