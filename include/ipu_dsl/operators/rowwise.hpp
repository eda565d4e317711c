// SPDX-License-Identifier: MIT
// Losses and metrics that judge the numbers of a sample together, by the rule of any of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/rowwise.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/sample_weights.hpp>
#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Every loss and every metric that has such a rule has this code.
template <const family* Judge>
  requires judges_rows<Judge>
struct operators<Judge> {
  using key = rowwise_call;
  using rule = typename row_rule<Judge>::type;

  template <rowwise_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    if constexpr (Call.labels != 0) {
      judge<Call>(context, operands, integers(operands[2]));
    } else if constexpr (Call.variant == rowwise_variant::gradient) {
      judge<Call>(context, operands, floats(operands[3]));
    } else {
      judge<Call>(context, operands, floats(operands[2]));
    }
  }

 private:
  template <rowwise_call Call, typename Wanted>
  static void judge(const run_context& context, void* const* operands,
                    const Wanted* wanted) noexcept {
    constexpr bool with_gradient = Call.variant == rowwise_variant::gradient;
    constexpr int written = with_gradient ? 1 : 0;
    double* const result = doubles(operands[written]);
    if constexpr (Call.weights.weighs()) {
      judge_each<Call, with_gradient>(context, result, operands, wanted);
    } else {
      const std::int32_t valid = context.valid_samples();
      result[0] = kernels::rowwise_sum<rule_of<rule>(Call.rule), with_gradient>(
          floats(operands[written + 1]), wanted, Call.batch, Call.units, valid, context.loss_scale,
          with_gradient ? floats(operands[0]) : nullptr);
      result[1] = valid;
    }
  }

  template <rowwise_call Call, bool WithGradient, typename Wanted>
  static void judge_each(const run_context& context, double* result, void* const* operands,
                         const Wanted* wanted) noexcept {
    static_assert(Call.weights.positions == 1, "ipu_dsl: expected one weight for each sample");
    constexpr int written = WithGradient ? 1 : 0;
    constexpr std::ptrdiff_t stride = layout::row_stride(Call.units);
    const float* const predicted = floats(operands[written + 1]);
    const float* const weights = floats(operands[written + 3]);
    double sum = 0;
    for_weighted_samples(
        weights, Call.batch, context.valid_samples(),
        [&](std::ptrdiff_t b, std::int32_t valid, float weight) {
          const double said = kernels::rowwise_sum<rule_of<rule>(Call.rule), WithGradient>(
              predicted + b * stride, wanted + b * (Call.labels != 0 ? 1 : stride), 1, Call.units,
              valid, context.loss_scale * weight,
              WithGradient ? floats(operands[0]) + b * stride : nullptr);
          sum = sum + static_cast<double>(weight) * said;
        });
    result[0] = sum;
    result[1] = counted_samples(Call.weights, weights, context.valid_samples());
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
