// SPDX-License-Identifier: MIT
// Metrics of the confusion matrix, by the rule of any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/sample_weights.hpp>
#include <ipu_dsl/vocabulary/class_counting.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Every metric that has such a rule has this code.
template <const family* Judge>
  requires judges_classes<Judge>
struct operators<Judge> {
  using key = class_call;
  using rule = typename class_rule<Judge>::type;

  static constexpr std::int32_t classes_of(std::int32_t counted) {
    std::int32_t classes = 1;
    while (classes * classes < counted) {
      ++classes;
    }
    return classes;
  }

  static constexpr std::int32_t reported(std::int32_t counted) {
    return rule::reported(classes_of(counted));
  }

  static void final_values(std::span<const double> counted, double* made) {
    const auto numbers = static_cast<std::int32_t>(counted.size());
    const std::int32_t classes = classes_of(numbers);
    rule::final_values(confusion_counts{{counted.data(), numbers}, classes},
                       reported_numbers(made, rule::reported(classes)));
  }

  /// What its rule cannot be called for.
  template <class_call Call>
  static constexpr problem fault() {
    if constexpr (!requires {
                    typename std::integral_constant<std::int32_t, rule::reported(Call.classes)>;
                  }) {
      return refuse(label("a reported in ") << type_name<rule>(), "none that can be called",
                    "write static constexpr std::int32_t reported(std::int32_t classes): how many "
                    "numbers are reported");
    } else if constexpr (!requires(const confusion_counts& counts, reported_numbers values) {
                           rule::final_values(counts, values);
                         }) {
      return refuse(label("a final_values in ") << type_name<rule>(), "none that can be called",
                    "write static void final_values(const confusion_counts& counts, "
                    "reported_numbers values)");
    } else {
      return {};
    }
  }

  template <class_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t classes = Call.classes;
    constexpr std::ptrdiff_t stride = layout::row_stride(Call.units);
    double* const counted = doubles(operands[0]);
    const float* const scores = floats(operands[1]);
    for (std::int32_t i = 0; i < classes * classes; ++i) {
      counted[i] = 0;
    }
    const auto count = [&](std::ptrdiff_t sample, double weight) {
      const std::int32_t said = class_in<Call.units>(scores + sample * stride, 0.5F);
      const std::int32_t is = wanted_class<Call>(operands[2], sample);
      double& kept = counted[std::ptrdiff_t{is} * classes + said];
      kept = kept + weight;
    };
    const float* const weights = Call.weights.weighs() ? floats(operands[3]) : nullptr;
    for_alike_rows<Call.weights, 1>(weights, Call.batch, context.valid_samples(),
                                    [&](const alike_rows& part) {
                                      for (std::int32_t i = 0; i < part.valid; ++i) {
                                        count(part.first + i, static_cast<double>(part.weight));
                                      }
                                    });
  }

 private:
  /// The first of the largest numbers; of one number alone whether it is above a threshold.
  template <std::int32_t Units>
  static std::int32_t class_in(const float* row, float threshold) {
    if constexpr (Units == 1) {
      return row[0] > threshold ? 1 : 0;
    } else {
      std::int32_t best = 0;
      for (std::int32_t n = 1; n < Units; ++n) {
        best = row[n] > row[best] ? n : best;
      }
      return best;
    }
  }

  template <class_call Call>
  static std::int32_t wanted_class(void* told, std::ptrdiff_t sample) {
    if constexpr (Call.labels != 0) {
      return integers(told)[sample];
    } else {
      return class_in<Call.units>(floats(told) + sample * layout::row_stride(Call.units), 0.0F);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
