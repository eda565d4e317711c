// SPDX-License-Identifier: MIT
// Metrics that count, by the rule of any of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/counting.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Every metric that has such a rule has this code.
template <const family* Judge>
  requires judges_by_counting<Judge>
struct operators<Judge> {
  using key = counting_call;
  using rule = typename counting_rule<Judge>::type;

  template <attributes Options>
  static double final_value(std::span<const double> counted) {
    constexpr rule by = Options.as<rule>();
    return by.final_value(counted_sums(counted.data(), static_cast<std::int32_t>(counted.size())));
  }

  /// What its rule cannot be called for.
  template <counting_call Call>
  static constexpr problem fault() {
    if constexpr (!requires(const rule& by, counted_numbers counted, float number) {
                    by.count(counted, number, number);
                  }) {
      return refuse(
          label("a count in ") << type_name<rule>(), "none that can be called",
          "write void count(counted_numbers counted, float predicted, float wanted) const");
    } else if constexpr (!requires(const rule& by, counted_sums counted) {
                           { by.final_value(counted) } -> std::convertible_to<double>;
                         }) {
      return refuse(label("a final_value in ") << type_name<rule>(), "none that can be called",
                    "write double final_value(counted_sums counted) const: what is "
                    "reported, from the sums over all samples");
    } else {
      return {};
    }
  }

  template <counting_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr rule by = rule_of<rule>(Call.rule);
    const counted_numbers counted(doubles(operands[0]), Call.numbers);
    const float* predicted = floats(operands[1]);
    const float* wanted = floats(operands[2]);
    for (double& number : counted) {
      number = 0;
    }
    const float* weights = Call.weights.weighs() ? floats(operands[3]) : nullptr;
    for (std::int32_t b = 0; b < context.valid_samples(); ++b) {
      if constexpr (Call.weights.weighs()) {
        count_weighted<Call>(counted, predicted, wanted, weights);
        weights += layout::row_stride(Call.weights.positions);
      } else {
        for (std::int32_t n = 0; n < Call.units; ++n) {
          by.count(counted, predicted[n], wanted[n]);
        }
      }
      predicted += layout::row_stride(Call.units);
      wanted += layout::row_stride(Call.units);
    }
  }

 private:
  /// Each position of a sample counts what its weight says.
  template <counting_call Call>
  static void count_weighted(counted_numbers counted, const float* predicted, const float* wanted,
                             const float* weights) noexcept {
    constexpr rule by = rule_of<rule>(Call.rule);
    constexpr std::int32_t features = Call.units / Call.weights.positions;
    for (std::int32_t position = 0; position < Call.weights.positions; ++position) {
      double own[std::size_t{Call.numbers}] = {};
      for (std::int32_t n = position * features; n < (position + 1) * features; ++n) {
        by.count(counted_numbers(own, Call.numbers), predicted[n], wanted[n]);
      }
      const auto weight = static_cast<double>(weights[position]);
      for (std::int32_t number = 0; number < Call.numbers; ++number) {
        counted[number] = counted[number] + weight * own[number];
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
