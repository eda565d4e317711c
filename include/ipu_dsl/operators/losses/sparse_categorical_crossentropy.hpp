// SPDX-License-Identifier: MIT
// Code of the cross-entropy of class scores.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/sample_weights.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&sparse_categorical_crossentropy_family> {
  using key = crossentropy_call;

  template <crossentropy_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr bool with_gradient = Call.variant == crossentropy_variant::gradient;
    constexpr int written = with_gradient ? 1 : 0;
    const rows_of_call rows{floats(operands[written + 1]), integers(operands[written + 2]),
                            with_gradient ? floats(operands[0]) : nullptr};
    const float* const weights = Call.weights.weighs() ? floats(operands[written + 3]) : nullptr;
    const std::int32_t valid = context.valid_samples();
    double* const result = doubles(operands[written]);
    double sum = 0;
    float chain = 0;
    for_alike_rows<Call.weights, Call.positions>(
        weights, Call.batch, valid, [&](const alike_rows& part) {
          judge<Call>(rows, part, scale_of<Call>(context.loss_scale, part.weight), &chain);
          // Of positions there may be many: a chain for each part.
          if constexpr (Call.positions > 1) {
            sum = sum + static_cast<double>(chain);
            chain = 0;
          }
        });
    // The chain has the scale of the gradients in it.
    result[0] = (sum + static_cast<double>(chain)) / static_cast<double>(context.loss_scale);
    result[1] = counted_samples(Call.weights, weights, valid);
  }

 private:
  struct rows_of_call {
    const float* scores;
    const std::int32_t* labels;
    float* gradient;  ///< null if none is wanted
  };

  /// What a row counts: the positions of a sample are a mean.
  template <crossentropy_call Call>
  static float scale_of(float loss_scale, float weight) {
    if constexpr (Call.positions > 1) {
      return loss_scale / static_cast<float>(Call.positions) * weight;
    } else {
      return loss_scale * weight;
    }
  }

  template <crossentropy_call Call>
  static void judge(const rows_of_call& all, const alike_rows& part, float scale,
                    float* loss) noexcept {
    constexpr std::ptrdiff_t stride = layout::row_stride(Call.classes);
    const float* const scores = all.scores + part.first * stride;
    const std::int32_t* const labels = all.labels + part.first;
    float* const gradient = all.gradient == nullptr ? nullptr : all.gradient + part.first * stride;
    if constexpr (Call.scores == score_kind::logits) {
      kernels::softmax_cross_entropy(scores, labels, part.rows, Call.classes, part.valid, scale,
                                     loss, gradient);
    } else {
      kernels::probability_cross_entropy(scores, labels, part.rows, Call.classes, part.valid, scale,
                                         loss, gradient);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
