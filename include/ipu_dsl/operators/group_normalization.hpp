// SPDX-License-Identifier: MIT
// GroupNormalization: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/group_normalization.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/group_normalization.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Grains are samples, but for what is summed over them.
template <>
struct operators<&group_normalization_family> {
  using key = group_normalization_call;
  using variant = group_normalization_variant;

  template <group_normalization_call Call>
  static constexpr bool in_grains = Call.variant != variant::weight_gradient;

  template <group_normalization_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr kernels::grouped_channels of{Call.positions, Call.channels, Call.groups};
    constexpr std::ptrdiff_t stride = of.stride(layout::native);
    if constexpr (Call.variant == variant::weight_gradient) {
      kernels::add_rows(floats(operands[1]), Call.batch, of.stride(layout::native),
                        context.continues, floats(operands[0]));
    } else {
      const index_range mine = range_of(Call.batch, context.part);
      for (std::int32_t sample = mine.begin; sample < mine.end; ++sample) {
        const auto image = [&](int operand) {
          return floats(operands[operand]) + sample * of.positions * stride;
        };
        const auto row = [&](int operand) { return floats(operands[operand]) + sample * stride; };
        if constexpr (Call.variant == variant::forward) {
          const float* const gamma = Call.has_scale != 0 ? floats(operands[4]) : nullptr;
          const float* const beta =
              Call.has_center != 0 ? floats(operands[4 + Call.has_scale]) : nullptr;
          kernels::normalize_groups(image(3), gamma, beta, scalars[0], of, image(0), row(1),
                                    row(2));
        } else if constexpr (Call.variant == variant::sums) {
          kernels::group_gradient_sums(image(2), image(3), of, row(4), row(5), row(0), row(1));
        } else {
          const float* const gamma = Call.has_scale != 0 ? floats(operands[7]) : nullptr;
          kernels::normalized_groups_gradient<Call.channels>(image(1), image(2), of, gamma, row(3),
                                                             row(4), row(5), row(6), image(0));
        }
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
