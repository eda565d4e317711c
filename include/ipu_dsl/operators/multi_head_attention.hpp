// SPDX-License-Identifier: MIT
// MultiHeadAttention: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/multi_head_attention.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/multi_head_attention.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Grains are heads of samples.
template <>
struct operators<&multi_head_attention_family> {
  using key = multi_head_attention_call;

  template <multi_head_attention_call Call>
  static constexpr bool in_grains = true;

  template <multi_head_attention_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr kernels::attention_heads of{Call.queries, Call.keys,      Call.heads,
                                          Call.key_dim, Call.value_dim, Call.causal != 0};
    constexpr std::ptrdiff_t queries = std::ptrdiff_t{Call.queries} * of.key_stride();
    constexpr std::ptrdiff_t keys = std::ptrdiff_t{Call.keys} * of.key_stride();
    constexpr std::ptrdiff_t values = std::ptrdiff_t{Call.keys} * of.value_stride();
    constexpr std::ptrdiff_t context_rows = std::ptrdiff_t{Call.queries} * of.value_stride();
    constexpr std::ptrdiff_t scores = std::ptrdiff_t{Call.queries} * of.score_stride();
    const index_range mine = range_of(Call.batch * Call.heads, context.part);
    for (std::int32_t number = mine.begin; number < mine.end; ++number) {
      const std::int32_t sample = number / Call.heads;
      const std::int32_t head = number % Call.heads;
      const auto of_sample = [&](int operand, std::ptrdiff_t elements) {
        return floats(operands[operand]) + sample * elements;
      };
      const auto of_head = [&](int operand) { return floats(operands[operand]) + number * scores; };
      if constexpr (Call.variant == multi_head_attention_variant::forward) {
        constexpr bool masked = Call.is_masked != 0;
        const float* const mask = masked ? of_sample(5, of.score_stride()) : nullptr;
        constexpr bool told = Call.is_told != 0;
        const float* const keys_of_each = told ? of_sample(masked ? 6 : 5, scores) : nullptr;
        kernels::attend<of, masked, told>(of_sample(2, queries), of_sample(3, keys),
                                          of_sample(4, values), of_head(1),
                                          of_sample(0, context_rows), head, mask, keys_of_each);
      } else {
        kernels::attend_gradient<of>({.q = of_sample(4, queries),
                                      .k = of_sample(5, keys),
                                      .v = of_sample(6, values),
                                      .p = of_head(7),
                                      .d = of_sample(8, context_rows),
                                      .dq = of_sample(0, queries),
                                      .dk = of_sample(1, keys),
                                      .dv = of_sample(2, values),
                                      .scores = of_head(3)},
                                     head);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
