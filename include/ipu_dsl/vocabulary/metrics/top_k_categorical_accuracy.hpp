// SPDX-License-Identifier: MIT
// The share of samples whose class with the highest target is among the k best.
#pragma once

#include <ipu_dsl/vocabulary/top_k.hpp>

namespace ipu_dsl {

inline constexpr family top_k_categorical_accuracy_family{.name = "top_k_categorical_accuracy",
                                                          .shapes = top_k_rules::shapes,
                                                          .forward = rowwise_rules::forward,
                                                          .reads = {storage::positions}};

template <>
struct row_rule<&top_k_categorical_accuracy_family> {
  using type = top_k_rule;
};

/// `metrics<top_k_categorical_accuracy<3>>` of float targets shaped like the output; 5 as in Keras
/// unless given.
template <auto K = 5>
struct top_k_categorical_accuracy : top_k_metric<&top_k_categorical_accuracy_family, K> {};

}  // namespace ipu_dsl
