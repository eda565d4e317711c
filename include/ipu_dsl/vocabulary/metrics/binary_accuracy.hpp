// SPDX-License-Identifier: MIT
// The share of outputs that lie on the side of a threshold where their target lies.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/vocabulary/pointwise.hpp>
#include <ipu_dsl/vocabulary/threshold.hpp>

namespace ipu_dsl {

/// 1 if predicted > threshold says what wanted does, which is 0 or 1.
struct binary_hit_rule : threshold_of_yes {
  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& predicted,
                                    const Vector& wanted) const {
    const Vector one(1.0F);
    const Vector zero(0.0F);
    const Vector said = Math::choose(predicted > Vector(threshold), one, zero);
    return sum + Math::choose(said == wanted, one, zero);
  }
};

namespace binary_accuracy_rules {

constexpr problem shapes(node_draft& draft) {
  const problem found = check_threshold(draft);
  return found.found() ? found : pointwise_rules::shapes(draft);
}

}  // namespace binary_accuracy_rules

inline constexpr family binary_accuracy_family{.name = "binary_accuracy",
                                               .shapes = binary_accuracy_rules::shapes,
                                               .forward = pointwise_rules::forward};

template <>
struct pointwise_rule<&binary_accuracy_family> {
  using type = binary_hit_rule;
};

/// `metrics<binary_accuracy>`: Keras's, of outputs that are probabilities and targets that are 0 or
/// 1; another threshold than 0.5 as `metric<binary_accuracy, threshold<0.7F>>`, and of logits,
/// which are refused otherwise, `threshold<0.0F>`.
struct binary_accuracy {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &binary_accuracy_family;
  static constexpr list_view<const option_key*> accepted{threshold_keys};

  template <std::size_t Count>
  static constexpr binary_hit_rule read(const option_list<Count>& given) {
    return {read_threshold(given)};
  }
};

}  // namespace ipu_dsl
