// SPDX-License-Identifier: MIT
// LayerNormalization and RMSNormalization: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/layer_normalization.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/layer_normalization.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Grains are rows; of the gradients of gamma and beta they are vectors of channels.
template <>
struct operators<&layer_normalization_family> {
  using key = layer_normalization_call;
  using variant = layer_normalization_variant;

  template <layer_normalization_call Call>
  static constexpr bool in_grains = true;

  template <layer_normalization_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::normalization_form form{Call.centers != 0, Call.has_scale != 0,
                                               Call.has_center != 0};
    constexpr kernels::normalized_rows rows{Call.positions, Call.units};
    constexpr std::int32_t count = Call.batch * Call.positions;
    constexpr std::int32_t parameters = Call.has_scale + Call.has_center;
    const index_range mine = range_of(count, context.part);
    if constexpr (Call.variant == variant::forward) {
      void* const* const read = operands + 2 + Call.centers;
      const float* const gamma = form.scales ? floats(read[1]) : nullptr;
      const float* const beta = form.shifts ? floats(read[1 + Call.has_scale]) : nullptr;
      kernels::normalize_rows<form>(floats(read[0]), gamma, beta, scalars[0], rows, mine,
                                    floats(operands[0]), moments<Call>(operands + 1));
    } else if constexpr (Call.variant == variant::input_gradient) {
      const float* const gamma = form.scales ? floats(operands[4 + Call.centers]) : nullptr;
      kernels::normalized_rows_gradient<form>(floats(operands[1]), floats(operands[2]), gamma, rows,
                                              mine, moments<Call>(operands + 3),
                                              floats(operands[0]));
    } else {
      const kernels::normalization_sums to{floats(operands[0]), floats(operands[Call.has_scale]),
                                           context.continues};
      void* const* const read = operands + parameters;
      kernels::normalization_weight_gradient<form>(floats(read[0]), floats(read[1]), rows, count,
                                                   moments<Call>(read + 2), to, context.part);
    }
  }

 private:
  template <layer_normalization_call Call>
  static kernels::row_moments moments(void* const* operands) {
    return {Call.centers != 0 ? floats(operands[1]) : nullptr, floats(operands[0])};
  }
};

template <>
struct operators<&rms_normalization_family> : operators<&layer_normalization_family> {};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
