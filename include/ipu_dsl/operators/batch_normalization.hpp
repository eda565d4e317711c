// SPDX-License-Identifier: MIT
// BatchNormalization: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/batch_normalization.hpp>
#include <ipu_dsl/kernels/channel_moments.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&batch_normalization_family> {
  using key = batch_normalization_call;
  using variant = batch_normalization_variant;

  /// Grains are samples, or blocks of them.
  template <batch_normalization_call Call>
  static constexpr bool in_grains =
      Call.variant == variant::block_moments || Call.variant == variant::normalize ||
      Call.variant == variant::block_sums || Call.variant == variant::input_gradient ||
      Call.variant == variant::frozen_gradient;

  template <batch_normalization_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    // Positions that lie apart are samples of one position each.
    constexpr std::int32_t split = Call.apart != 0 ? Call.positions : 1;
    constexpr kernels::channel_rows rows{Call.batch * split, Call.positions / split, Call.channels};
    const auto valid = [&context] { return context.valid_samples() * split; };
    float* const written = floats(operands[0]);
    if constexpr (Call.variant == variant::block_moments) {
      kernels::moments_of_blocks(floats(operands[1]), rows, valid(), Call.blocks,
                                 pairs(operands[0]), context.part);
    } else if constexpr (Call.variant == variant::moments) {
      kernels::tell_moments(pairs(operands[2]), rows, valid(), Call.blocks, written,
                            floats(operands[1]));
    } else if constexpr (Call.variant == variant::normalize) {
      const float* const gamma = Call.has_scale != 0 ? floats(operands[4]) : nullptr;
      const float* const beta =
          Call.has_center != 0 ? floats(operands[4 + Call.has_scale]) : nullptr;
      kernels::normalize_channels<Call.applies>(floats(operands[1]), rows,
                                                statistics(operands + 2, scalars), gamma, beta,
                                                written, context.part);
    } else if constexpr (Call.variant == variant::block_sums) {
      kernels::gradients_of_blocks(floats(operands[1]), floats(operands[2]), rows, valid(),
                                   Call.blocks, floats(operands[3]), pairs(operands[0]),
                                   context.part);
    } else if constexpr (Call.variant == variant::sums) {
      kernels::tell_gradients(pairs(operands[2]), Call.channels, Call.blocks,
                              {nullptr, floats(operands[3]), scalars[0]}, written,
                              floats(operands[1]));
    } else if constexpr (Call.variant == variant::input_gradient) {
      const float* const gamma = Call.has_scale != 0 ? floats(operands[7]) : nullptr;
      kernels::normalized_input_gradient(floats(operands[1]), floats(operands[2]), rows, valid(),
                                         statistics(operands + 3, scalars), gamma,
                                         floats(operands[5]), floats(operands[6]), written,
                                         context.part);
    } else if constexpr (Call.variant == variant::frozen_gradient) {
      const float* const gamma = Call.has_scale != 0 ? floats(operands[3]) : nullptr;
      kernels::scaled_input_gradient(floats(operands[1]), rows, valid(),
                                     {nullptr, floats(operands[2]), scalars[0]}, gamma, written,
                                     context.part);
    } else if constexpr (Call.variant == variant::weight_gradient) {
      const float* const read = floats(operands[1]);
      for (std::int32_t c = 0; c < Call.channels; ++c) {
        written[c] = context.continues ? written[c] + read[c] : read[c];
      }
    } else if (valid() > 0) {
      // A micro-batch without samples has no statistics.
      kernels::move_average(floats(operands[2]), Call.channels, scalars[0], written);
      kernels::move_average(floats(operands[3]), Call.channels, scalars[0], floats(operands[1]));
    }
  }

 private:
  static kernels::channel_pair* pairs(void* operand) {
    return static_cast<kernels::channel_pair*>(operand);
  }

  static kernels::channel_statistics statistics(void* const* operands, const float* scalars) {
    return {floats(operands[0]), floats(operands[1]), scalars[0]};
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
