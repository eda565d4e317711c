// SPDX-License-Identifier: MIT
// The mean of the output.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// The output itself.
struct mean_rule {
  static constexpr bool is_told_nothing = true;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
                                           const Vector&) {
    return sum + predicted;
  }
};

namespace mean_rules {

/// It is told nothing.
constexpr problem shapes(node_draft& draft) {
  draft.result(2);
  return {};
}

constexpr void forward(emitter& emit) {
  const pointwise_call key = pointwise_rules::key_of(emit, pointwise_variant::value);
  call_draft call = emit.call(key);
  pointwise_rules::count(emit, call, key, 0);
}

}  // namespace mean_rules

inline constexpr family mean_family{
    .name = "mean", .shapes = mean_rules::shapes, .forward = mean_rules::forward};

template <>
struct pointwise_rule<&mean_family> {
  using type = mean_rule;
};

/// `metrics<mean_of_output>`, by the name "mean": of the numbers of the output, whatever the
/// targets. (Not `mean`, which is what people call functions of their own.)
struct mean_of_output {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &mean_family;
};

}  // namespace ipu_dsl
