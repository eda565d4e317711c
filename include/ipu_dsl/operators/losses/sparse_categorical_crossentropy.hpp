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
    float* const gradient = with_gradient ? floats(operands[0]) : nullptr;
    const samples_of_call samples{floats(operands[written + 1]), integers(operands[written + 2]),
                                  gradient};
    const std::int32_t valid = context.valid_samples();
    double* const result = doubles(operands[written]);
    float loss = 0;
    if constexpr (Call.weights.weighs()) {
      const float* const weights = floats(operands[written + 3]);
      constexpr std::ptrdiff_t stride = layout::row_stride(Call.classes);
      for_weighted_samples(
          weights, Call.batch, valid, [&](std::ptrdiff_t b, std::int32_t counted, float weight) {
            judge<Call>(samples.from(b, stride), 1, counted, context.loss_scale * weight, &loss);
          });
      result[1] = counted_samples(Call.weights, weights, valid);
    } else {
      judge<Call>(samples, Call.batch, valid, context.loss_scale, &loss);
      result[1] = valid;
    }
    // The chain has the scale of the gradients in it.
    result[0] = static_cast<double>(loss) / static_cast<double>(context.loss_scale);
  }

 private:
  struct samples_of_call {
    const float* scores;
    const std::int32_t* labels;
    float* gradient;  ///< null if none is wanted

    samples_of_call from(std::ptrdiff_t sample, std::ptrdiff_t stride) const {
      return {scores + sample * stride, labels + sample,
              gradient == nullptr ? nullptr : gradient + sample * stride};
    }
  };

  template <crossentropy_call Call>
  static void judge(const samples_of_call& samples, std::int32_t batch, std::int32_t valid,
                    float scale, float* loss) noexcept {
    if constexpr (Call.scores == score_kind::logits) {
      kernels::softmax_cross_entropy(samples.scores, samples.labels, batch, Call.classes, valid,
                                     scale, loss, samples.gradient);
    } else {
      kernels::probability_cross_entropy(samples.scores, samples.labels, batch, Call.classes, valid,
                                         scale, loss, samples.gradient);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
