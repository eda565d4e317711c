// SPDX-License-Identifier: MIT
// Losses and metrics that judge the numbers of a sample together, by the rule of any of them.
#pragma once

#include <cstdint>

#include <ipu_dsl/kernels/rowwise.hpp>
#include <ipu_dsl/operators/operators.hpp>
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
    const std::int32_t valid = context.valid_samples();
    double* const result = doubles(operands[written]);
    result[0] = kernels::rowwise_sum<rule_of<rule>(Call.rule), with_gradient>(
        floats(operands[written + 1]), wanted, Call.batch, Call.units, valid, context.loss_scale,
        with_gradient ? floats(operands[0]) : nullptr);
    result[1] = valid;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
