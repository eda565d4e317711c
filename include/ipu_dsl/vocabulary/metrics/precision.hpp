// SPDX-License-Identifier: MIT
// The share of those that an output said yes to that are it.
#pragma once

#include <ipu_dsl/vocabulary/confusion.hpp>

namespace ipu_dsl {

/// Right yes of all yes.
struct precision_rule : confusion_rule {
  [[gnu::always_inline]] static double final_value(counted_sums counted) {
    return share(counted[0], counted[0] + counted[1]);
  }
};

inline constexpr family precision_family{
    .name = "precision", .shapes = confusion_rules::shapes, .forward = counting_rules::forward};

template <>
struct counting_rule<&precision_family> {
  using type = precision_rule;
};

/// `metrics<precision>`: Keras's, of outputs that are probabilities and float targets shaped like
/// them; another threshold than 0.5 as `metric<precision, threshold<0.7F>>`. 0 if nobody said yes.
struct precision : confusion_metric<&precision_family> {};

}  // namespace ipu_dsl
