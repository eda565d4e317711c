// SPDX-License-Identifier: MIT
// The share of samples whose label is among the k best classes.
#pragma once

#include <ipu_dsl/vocabulary/top_k.hpp>

namespace ipu_dsl {

inline constexpr family sparse_top_k_categorical_accuracy_family{
    .name = "sparse_top_k_categorical_accuracy",
    .shapes = top_k_rules::label_shapes,
    .forward = rowwise_rules::forward,
    .reads = {storage::positions}};

template <>
struct row_rule<&sparse_top_k_categorical_accuracy_family> {
  using type = top_k_rule;
};

/// `metrics<sparse_top_k_categorical_accuracy<3>>` of labels; 5 as in Keras unless given.
template <auto K = 5>
struct sparse_top_k_categorical_accuracy
    : top_k_metric<&sparse_top_k_categorical_accuracy_family, K> {};

}  // namespace ipu_dsl
