// SPDX-License-Identifier: MIT
// The area under the curve of the rate of right yes over the rate of wrong yes, or of precision
// over recall.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/vocabulary/counting.hpp>
#include <ipu_dsl/vocabulary/threshold.hpp>

namespace ipu_dsl {

inline constexpr option_key curve_key{"curve"};

/// Of which curve `auc` is the area, by Keras's names: `"ROC"`, which is the default, or `"PR"`, of
/// precision over recall.
template <fixed_string Name>
struct curve {
  static constexpr bool of_precision = Name.view() == "PR";
  static constexpr problem unknown =
      refuse("\"ROC\" or \"PR\"", label() << "\"" << Name.view() << "\"");
  static constexpr option as_option = of_precision || Name.view() == "ROC"
                                          ? option{&curve_key, of_precision ? 1 : 0}
                                          : option{&curve_key, 0, 0, &unknown};
};

/// Keras's 200 thresholds: -1e-7, then i / 199, then 1 + 1e-7. Counted is above how many of them an
/// output lies, of targets that are not 0 and of those that are.
struct auc_rule {
  static constexpr std::int32_t thresholds = 200;
  static constexpr std::int32_t numbers = 2 * (thresholds + 1);

  std::int32_t of_precision = 0;  ///< 1: the curve of precision over recall

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

  [[gnu::always_inline]] void count(counted_numbers counted, float predicted, float wanted) const {
    const bool is = wanted < 0.0F || wanted > 0.0F;
    counted[passed(predicted) + (is ? 0 : thresholds + 1)] += 1;
  }

  /// How many of one kind say yes at each threshold, by its number, from what was counted of it.
  [[gnu::always_inline]] static void add_up(counted_sums counted, std::int32_t first,
                                            double* above) {
    double sum = 0;
    for (std::int32_t i = thresholds - 1; i >= 0; --i) {
      sum += counted[first + i + 1];
      above[i] = sum;
    }
  }

  /// What says yes at each threshold, rightly and wrongly, and how much of each kind there is.
  struct rates {
    double right[thresholds];
    double wrong[thresholds];
    double yes;
    double no;
  };

  /// Trapezoids, from each threshold to the next; 0 if there are only yes or only no.
  [[gnu::always_inline]] static double area_of_rates(const rates& at) {
    double area = 0;
    for (std::int32_t i = 0; i + 1 < thresholds; ++i) {
      area += (at.wrong[i] - at.wrong[i + 1]) * (at.right[i] + at.right[i + 1]) / 2;
    }
    return at.yes > 0 && at.no > 0 ? area / (at.yes * at.no) : 0;
  }

  [[gnu::always_inline]] static double quotient(double part, double whole) {
    return whole > 0 ? part / whole : 0;
  }

  /// Keras's `interpolate_pr_auc`: from each threshold to the next right and wrong yes are taken to
  /// change in proportion (Davis and Goadrich 2006).
  [[gnu::always_inline]] static double area_of_precision(const rates& at) {
    double area = 0;
    for (std::int32_t i = 0; i + 1 < thresholds; ++i) {
      const double said = at.right[i] + at.wrong[i];
      const double said_next = at.right[i + 1] + at.wrong[i + 1];
      const double more_right = at.right[i] - at.right[i + 1];
      const double slope = quotient(more_right, said - said_next);
      const double intercept = at.right[i + 1] - slope * said_next;
      const double ratio = said > 0 && said_next > 0 ? said / said_next : 1;
      area += quotient(slope * (more_right + intercept * elementary::logarithm(ratio)), at.yes);
    }
    return area;
  }

  [[gnu::always_inline]] double final_value(counted_sums counted) const {
    rates at;
    add_up(counted, 0, at.right);
    add_up(counted, thresholds + 1, at.wrong);
    // Of what is not above the lowest threshold there is more.
    at.yes = at.right[0] + counted[0];
    at.no = at.wrong[0] + counted[thresholds + 1];
    return of_precision != 0 ? area_of_precision(at) : area_of_rates(at);
  }
};

namespace auc_rules {

constexpr problem shapes(node_draft& draft) {
  const problem found = check_probabilities(draft);
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
/// or 1: 200 thresholds, interpolated between them, of the ROC curve; of precision over recall as
/// `metric<auc, curve<"PR">>`.
struct auc {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &auc_family;
  static constexpr const option_key* accepted[] = {&curve_key};

  template <std::size_t Count>
  static constexpr auc_rule read(const option_list<Count>& given) {
    return {given.integer(curve_key, 0)};
  }
};

}  // namespace ipu_dsl
