// SPDX-License-Identifier: MIT
// How many samples of each class the output takes for which.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/class_counting.hpp>

namespace ipu_dsl {

/// The counts themselves.
struct confusion_matrix_rule {
  static constexpr std::int32_t reported(std::int32_t classes) { return classes * classes; }

  static void final_values(const confusion_counts& counts, reported_numbers values) {
    for (std::int32_t i = 0; i < counts.classes * counts.classes; ++i) {
      values[i] = counts.counted[i];
    }
  }
};

inline constexpr family confusion_matrix_family{
    .name = "confusion_matrix", .shapes = class_rules::shapes, .forward = class_rules::forward};

template <>
struct class_rule<&confusion_matrix_family> {
  using type = confusion_matrix_rule;
};

/// `metrics<confusion_matrix>`: TensorFlow's `tf.math.confusion_matrix`, rows of the classes that
/// samples are of, columns of those that they are taken for, at most 256 of them: `const auto
/// matrix = found.metrics.numbers("confusion_matrix")`, [classes, classes]. Of one probability the
/// classes are no and yes, above 0.5. With `sample_weights` sums of weights.
struct confusion_matrix {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &confusion_matrix_family;
};

}  // namespace ipu_dsl
