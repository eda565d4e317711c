// SPDX-License-Identifier: MIT
// Losses and metrics that judge the numbers of a sample together, by the rule of any of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
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

  /// What its rule cannot be called for.
  template <rowwise_call Call>
  static constexpr problem fault() {
    constexpr bool with_gradient = Call.variant == rowwise_variant::gradient;
    using row = kernels::judged_row<with_gradient, layout::native>;
    if constexpr (!requires(const rule& by, const row& judged) {
                    { by.judge(judged) } -> std::convertible_to<float>;
                  }) {
      return refuse(label("a judge in ") << type_name<rule>(), "none that can be called",
                    "write template <typename Row> auto judge(const Row& row) const");
    } else if constexpr (with_gradient && !requires(const rule& by, const row& judged) {
                           { by.judge(judged) } -> std::same_as<kernels::loss_of_row>;
                         }) {
      return refuse(label("a loss from the judge in ") << type_name<rule>(),
                    "a number without its slopes",
                    "write return row.loss(value, slope), where slope(predicted, wanted) is the "
                    "derivative by predicted");
    } else {
      return {};
    }
  }

  template <rowwise_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    if constexpr (kernels::masks_are_numbers) {
      static_cast<void>(&in_narrow_vectors<Call>);
    }
    if constexpr (Call.labels != 0) {
      judge<Call>(context, operands, integers(operands[2]));
    } else if constexpr (Call.variant == rowwise_variant::gradient) {
      judge<Call>(context, operands, floats(operands[3]));
    } else {
      judge<Call>(context, operands, floats(operands[2]));
    }
  }

 private:
  /// Compiled and never called: see `masks_are_numbers`.
  template <rowwise_call Call>
  static float in_narrow_vectors(const rule& by) {
    constexpr layout::architecture narrow{4, 16, layout::native.fused_multiply_add};
    return by.judge(kernels::judged_row<Call.variant == rowwise_variant::gradient, narrow>());
  }

  template <rowwise_call Call, typename Wanted>
  static void judge(const run_context& context, void* const* operands,
                    const Wanted* wanted) noexcept {
    constexpr bool with_gradient = Call.variant == rowwise_variant::gradient;
    constexpr int written = with_gradient ? 1 : 0;
    constexpr std::ptrdiff_t stride = layout::row_stride(Call.units);
    constexpr std::int32_t wanted_stride = stride_of_wanted<Call>();
    const float* const predicted = floats(operands[written + 1]);
    const float* const weights = Call.weights.weighs() ? floats(operands[written + 3]) : nullptr;
    float* const gradient = with_gradient ? floats(operands[0]) : nullptr;
    const std::int32_t valid = context.valid_samples();
    double sum = 0;
    for_alike_rows<Call.weights, Call.positions>(
        weights, Call.batch, valid, [&](const alike_rows& part) {
          const double said = kernels::rowwise_sum<rule_of<rule>(Call.rule), with_gradient>(
              predicted + part.first * stride, wanted + first_wanted<Call>(part.first),
              wanted_stride, part.rows, Call.units, part.valid,
              context.loss_scale / static_cast<float>(Call.positions) * part.weight,
              with_gradient ? gradient + part.first * stride : nullptr);
          sum = sum + static_cast<double>(part.weight) * said;
        });
    double* const result = doubles(operands[written]);
    result[0] = sum / Call.positions;
    result[1] = counted_samples(Call.weights, weights, valid);
  }

  /// From row to row of what is wanted: a label each; or numbers, which lie in rows of samples.
  template <rowwise_call Call>
  static consteval std::int32_t stride_of_wanted() {
    if (Call.labels != 0) {
      return 1;
    }
    return Call.positions > 1 ? Call.units : layout::row_stride(Call.units);
  }

  /// Where that of a row begins.
  template <rowwise_call Call>
  static std::ptrdiff_t first_wanted(std::ptrdiff_t row) {
    constexpr std::int32_t row_stride = stride_of_wanted<Call>();
    if constexpr (Call.labels != 0 || Call.positions == 1) {
      return row * row_stride;
    } else {
      constexpr std::ptrdiff_t sample_stride = layout::row_stride(Call.positions * Call.units);
      return row / Call.positions * sample_stride + row % Call.positions * row_stride;
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
