// SPDX-License-Identifier: MIT
// Precision, recall and their mean of each class.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/class_counting.hpp>
#include <ipu_dsl/vocabulary/metrics/f1_score.hpp>
#include <ipu_dsl/vocabulary/metrics/precision.hpp>
#include <ipu_dsl/vocabulary/metrics/recall.hpp>

namespace ipu_dsl {

/// Of those that are of a class or were taken for it, the share that was right: of those that were
/// taken for it, counted so many times, and of those that are, counted so many times; 0 of nothing.
template <int Said, int Are>
struct per_class_rule {
  static constexpr std::int32_t reported(std::int32_t classes) { return classes; }

  static void final_values(const confusion_counts& counts, reported_numbers values) {
    for (std::int32_t i = 0; i < counts.classes; ++i) {
      const double whole = Said * counts.all_said(i) + Are * counts.all_that_are(i);
      values[i] = confusion_rule::share((Said + Are) * counts.of(i, i), whole);
    }
  }
};

inline constexpr family precision_per_class_family{
    .name = "precision_per_class", .shapes = class_rules::shapes, .forward = class_rules::forward};
inline constexpr family recall_per_class_family{
    .name = "recall_per_class", .shapes = class_rules::shapes, .forward = class_rules::forward};
inline constexpr family f1_score_per_class_family{
    .name = "f1_score_per_class", .shapes = class_rules::shapes, .forward = class_rules::forward};

template <>
struct class_rule<&precision_per_class_family> {
  using type = per_class_rule<1, 0>;
};

template <>
struct class_rule<&recall_per_class_family> {
  using type = per_class_rule<0, 1>;
};

template <>
struct class_rule<&f1_score_per_class_family> {
  using type = per_class_rule<1, 1>;
};

/// `metrics<per_class<precision>>`, and so of `recall` and `f1_score`: a number for each class, as
/// Keras's `class_id` gives of one: `found.metrics.numbers("precision_per_class")`, [classes]. A
/// sample is taken for the class of its largest score; at most 256 classes.
template <typename Metric>
struct per_class {};

template <>
struct per_class<precision> {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &precision_per_class_family;
};

template <>
struct per_class<recall> {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &recall_per_class_family;
};

template <>
struct per_class<f1_score> {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &f1_score_per_class_family;
};

}  // namespace ipu_dsl
