// SPDX-License-Identifier: MIT
// The harmonic mean of precision and recall.
#pragma once

#include <ipu_dsl/vocabulary/confusion.hpp>

namespace ipu_dsl {

/// 2 p r / (p + r) of precision p and recall r, which is 2 tp / (2 tp + fp + fn).
struct f1_score_rule : confusion_rule {
  [[gnu::always_inline]] static double final_value(counted_sums counted) {
    return share(2 * counted[0], 2 * counted[0] + counted[1] + counted[2]);
  }
};

inline constexpr family f1_score_family{
    .name = "f1_score", .shapes = confusion_rules::shapes, .forward = counting_rules::forward};

template <>
struct counting_rule<&f1_score_family> {
  using type = f1_score_rule;
};

/// `metrics<f1_score>` of outputs that are probabilities and float targets shaped like them, over
/// all numbers of all samples; another threshold than 0.5 as `metric<f1_score, threshold<0.7F>>`.
/// 0 if nobody said yes and none were it.
struct f1_score : confusion_metric<&f1_score_family> {};

}  // namespace ipu_dsl
