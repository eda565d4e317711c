// SPDX-License-Identifier: MIT
// Whether the wanted class is among the best ones: what the metrics of it have in common.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/vocabulary/metrics/categorical_accuracy.hpp>
#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl {

/// 1 where fewer than `k` scores are above that of the wanted class: of classes that share the
/// border all count, as in TensorFlow's `in_top_k`. 0 where that score is no finite number.
struct top_k_rule {
  std::int32_t k = 5;

  template <typename Row>
  [[gnu::always_inline]] float judge(const Row& row) const {
    const std::int32_t wanted_class =
        row.wanted == nullptr ? row.label : place_of_largest(row.wanted, row.units);
    const float score = row.predicted[wanted_class];
    std::int32_t above = 0;
    for (std::int32_t n = 0; n < row.units; ++n) {
      above += row.predicted[n] > score ? 1 : 0;
    }
    return above < k && score - score == 0.0F ? 1.0F : 0.0F;
  }
};

namespace top_k_rules {

constexpr problem check_k(node_draft& draft) {
  const std::int32_t k = draft.options<top_k_rule>().k;
  const shape scores = draft.input(0);
  const std::int32_t classes = scores.rank > 0 ? last_axis_rules::length_of(scores) : 0;
  if (scores.rank > 0 && (k < 1 || k > classes)) {
    return refuse(label("a k of at least 1 and at most ") << classes << ", the classes", label()
                                                                                             << k);
  }
  return {};
}

constexpr problem shapes(node_draft& draft) {
  const problem found = check_k(draft);
  return found.found() ? found : rowwise_rules::shapes(draft);
}

constexpr problem label_shapes(node_draft& draft) {
  const problem found = check_k(draft);
  return found.found() ? found : rowwise_rules::label_shapes(draft);
}

}  // namespace top_k_rules

/// What the types of these metrics have in common.
template <const family* Rule, auto K>
struct top_k_metric {
  static constexpr whole_number wanted = read_whole(K);
  static constexpr bool is_metric = is_null(wanted.fault);
  static constexpr const family* rule = Rule;
  static constexpr top_k_rule options{wanted.value};
};

}  // namespace ipu_dsl
