// SPDX-License-Identifier: MIT
// The share of those that are it that an output said yes to.
#pragma once

#include <ipu_dsl/vocabulary/confusion.hpp>

namespace ipu_dsl {

/// Right yes of all that are it.
struct recall_rule : confusion_rule {
  [[gnu::always_inline]] static double final_value(counted_sums counted) {
    return share(counted[0], counted[0] + counted[2]);
  }
};

inline constexpr family recall_family{
    .name = "recall", .shapes = confusion_rules::shapes, .forward = counting_rules::forward};

template <>
struct counting_rule<&recall_family> {
  using type = recall_rule;
};

/// `metrics<recall>`: Keras's, of outputs that are probabilities and float targets shaped like
/// them; another threshold than 0.5 as `metric<recall, threshold<0.7F>>`. 0 if there were none.
struct recall : confusion_metric<&recall_family> {};

}  // namespace ipu_dsl
