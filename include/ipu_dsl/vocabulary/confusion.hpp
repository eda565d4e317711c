// SPDX-License-Identifier: MIT
// How often an output says yes or no, rightly and wrongly: what precision, recall and their mean
// are made of.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/vocabulary/counting.hpp>
#include <ipu_dsl/vocabulary/threshold.hpp>

namespace ipu_dsl {

/// An output above the threshold says yes; a target says yes if it is not 0, as in Keras. Three
/// numbers are counted: yes that was right, yes that was wrong, no that was wrong.
struct confusion_rule : threshold_of_yes {
  static constexpr int numbers = 3;

  [[gnu::always_inline]] void count(counted_numbers counted, float predicted, float wanted) const {
    const bool says = predicted > threshold;
    const bool is = wanted < 0.0F || wanted > 0.0F;
    counted[0] += says && is ? 1 : 0;
    counted[1] += says && !is ? 1 : 0;
    counted[2] += !says && is ? 1 : 0;
  }

  /// Keras's quotient: 0 of nothing.
  [[gnu::always_inline]] static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
  }
};

namespace confusion_rules {

constexpr problem shapes(node_draft& draft) {
  const problem found = check_threshold(draft);
  return found.found() ? found : counting_rules::shapes(draft, confusion_rule::numbers);
}

}  // namespace confusion_rules

/// What the types of these metrics have in common.
template <const family* Rule>
struct confusion_metric {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = Rule;
  static constexpr list_view<const option_key*> accepted{threshold_keys};

  template <std::size_t Count>
  static constexpr auto read(const option_list<Count>& given) {
    typename counting_rule<Rule>::type made;
    static_cast<threshold_of_yes&>(made) = read_threshold(given);
    return made;
  }
};

}  // namespace ipu_dsl
