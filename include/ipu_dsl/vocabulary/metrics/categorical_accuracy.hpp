// SPDX-License-Identifier: MIT
// The share of samples whose highest score is that of the class with the highest target.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl {

/// The place of the first of the largest numbers of a row, as in `argmax`.
[[gnu::always_inline]] inline std::int32_t place_of_largest(const float* row, std::int32_t units) {
  std::int32_t best = 0;
  for (std::int32_t n = 1; n < units; ++n) {
    best = row[n] > row[best] ? n : best;
  }
  return best;
}

/// 1 where the best class is the wanted one.
struct categorical_hit_rule {
  template <typename Row>
  [[gnu::always_inline]] static float judge(const Row& row) {
    const std::int32_t best = place_of_largest(row.predicted, row.units);
    return best == place_of_largest(row.wanted, row.units) ? 1.0F : 0.0F;
  }
};

inline constexpr family categorical_accuracy_family{.name = "categorical_accuracy",
                                                    .shapes = rowwise_rules::shapes,
                                                    .forward = rowwise_rules::forward,
                                                    .reads = {storage::positions}};

template <>
struct row_rule<&categorical_accuracy_family> {
  using type = categorical_hit_rule;
};

/// `metrics<categorical_accuracy>` of float targets shaped like the output; of equal numbers the
/// first counts.
struct categorical_accuracy {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &categorical_accuracy_family;
};

}  // namespace ipu_dsl
