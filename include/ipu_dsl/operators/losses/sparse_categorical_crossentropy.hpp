// SPDX-License-Identifier: MIT
// Code of the cross-entropy of class scores.
#pragma once

#include <cstdint>

#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&sparse_categorical_crossentropy_family> {
  using key = crossentropy_call;

  template <crossentropy_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr bool with_gradient = Call.variant == crossentropy_variant::gradient;
    constexpr int written = with_gradient ? 1 : 0;
    float* const gradient = with_gradient ? floats(operands[0]) : nullptr;
    const float* const scores = floats(operands[written + 1]);
    const std::int32_t* const labels = integers(operands[written + 2]);
    const std::int32_t valid = context.valid_samples();
    float loss = 0;
    if constexpr (Call.scores == score_kind::logits) {
      kernels::softmax_cross_entropy(scores, labels, Call.batch, Call.classes, valid,
                                     context.loss_scale, &loss, gradient);
    } else {
      kernels::probability_cross_entropy(scores, labels, Call.batch, Call.classes, valid,
                                         context.loss_scale, &loss, gradient);
    }
    // The chain has the scale of the gradients in it.
    double* const result = doubles(operands[written]);
    result[0] = static_cast<double>(loss) / static_cast<double>(context.loss_scale);
    result[1] = valid;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
