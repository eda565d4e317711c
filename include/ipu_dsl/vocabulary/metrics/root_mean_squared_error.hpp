// SPDX-License-Identifier: MIT
// The root of the mean of squared differences.
#pragma once

#include <ipu_dsl/vocabulary/losses/mean_squared_error.hpp>

namespace ipu_dsl {

/// Counts what `squared_error_rule` does; its root is taken at the very end.
struct root_mean_squared_error_rule : squared_error_rule {
  [[gnu::always_inline]] static double finish(double mean) { return __builtin_sqrt(mean); }
};

inline constexpr family root_mean_squared_error_family{.name = "root_mean_squared_error",
                                                       .shapes = pointwise_rules::shapes,
                                                       .forward = pointwise_rules::forward};

template <>
struct pointwise_rule<&root_mean_squared_error_family> {
  using type = root_mean_squared_error_rule;
};

/// `metrics<root_mean_squared_error>` of float targets shaped like the output: the root of the mean
/// over all numbers of all samples.
struct root_mean_squared_error {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &root_mean_squared_error_family;
};

}  // namespace ipu_dsl
