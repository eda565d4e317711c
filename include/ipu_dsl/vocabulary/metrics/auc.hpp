// SPDX-License-Identifier: MIT
// The area under the curve of the rate of right yes over the rate of wrong yes.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/vocabulary/counting.hpp>

namespace ipu_dsl {

/// Keras's 200 thresholds: -1e-7, then i / 199, then 1 + 1e-7. Counted is above how many of them an
/// output lies, of targets that are not 0 and of those that are.
struct auc_rule {
  static constexpr std::int32_t thresholds = 200;
  static constexpr std::int32_t numbers = 2 * (thresholds + 1);

  /// As Keras has it: computed in float64, compared as a float.
  [[gnu::always_inline]] static float threshold(std::int32_t number) {
    if (number == 0) {
      return -keras_epsilon;
    }
    return number == thresholds - 1 ? 1.0F + keras_epsilon
                                    : static_cast<float>(number / (thresholds - 1.0));
  }

  /// How many thresholds lie below; none of what is not a number.
  [[gnu::always_inline]] static std::int32_t passed(float predicted) {
    if (!(predicted > threshold(0))) {
      return 0;
    }
    if (predicted > threshold(thresholds - 1)) {
      return thresholds;
    }
    // At most one off, for the thresholds are rounded.
    const float place = predicted * static_cast<float>(thresholds - 1);
    std::int32_t found = place > 0.0F ? static_cast<std::int32_t>(place) : 0;
    found = found > thresholds - 2 ? thresholds - 2 : found;
    while (predicted > threshold(found + 1)) {
      ++found;
    }
    while (!(predicted > threshold(found))) {
      --found;
    }
    return found + 1;
  }

  [[gnu::always_inline]] void count(double* counted, float predicted, float wanted) const {
    const bool is = wanted < 0.0F || wanted > 0.0F;
    counted[passed(predicted) + (is ? 0 : thresholds + 1)] += 1;
  }

  /// How many of one kind say yes at each threshold, by its number, from what was counted of it.
  [[gnu::always_inline]] static void add_up(const double* counted, double* above) {
    double sum = 0;
    for (std::int32_t i = thresholds - 1; i >= 0; --i) {
      sum += counted[i + 1];
      above[i] = sum;
    }
  }

  /// Trapezoids, from each threshold to the next; 0 if there are only yes or only no.
  [[gnu::always_inline]] static double final_value(std::span<const double> counted) {
    double right[thresholds];
    double wrong[thresholds];
    add_up(counted.data(), right);
    add_up(counted.data() + thresholds + 1, wrong);
    // Of what is not above the lowest threshold there is more.
    const double yes = right[0] + counted[0];
    const double no = wrong[0] + counted[thresholds + 1];
    double area = 0;
    for (std::int32_t i = 0; i + 1 < thresholds; ++i) {
      area += (wrong[i] - wrong[i + 1]) * (right[i] + right[i + 1]) / 2;
    }
    return yes > 0 && no > 0 ? area / (yes * no) : 0;
  }
};

namespace auc_rules {

constexpr problem shapes(node_draft& draft) {
  const problem found = counting_rules::check_probabilities(draft);
  return found.found() ? found : counting_rules::shapes(draft, auc_rule::numbers);
}

}  // namespace auc_rules

inline constexpr family auc_family{
    .name = "auc", .shapes = auc_rules::shapes, .forward = counting_rules::forward};

template <>
struct counting_rule<&auc_family> {
  using type = auc_rule;
};

/// `metrics<auc>`: Keras's, of outputs that are probabilities and float targets shaped like them, 0
/// or 1: ROC curve, 200 thresholds, interpolated between them.
struct auc {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &auc_family;
};

}  // namespace ipu_dsl
