// SPDX-License-Identifier: MIT
// The share of samples whose highest score is that of their label.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

namespace accuracy_rules {

constexpr problem shapes(node_draft& draft) {
  draft.output({});
  return {};
}

/// Extents: {batch, classes}.
constexpr void forward(emitter& emit) {
  emit.call_kernel(
      {.extents = {emit.batch(), emit.input_shape(0)[0]}}, {},
      {emit.input_value(0), emit.input_value(1)},
      {.kind = work_kind::reduce, .m = std::int64_t{emit.batch()} * emit.input_shape(0)[0]});
}

}  // namespace accuracy_rules

/// Keras's sparse categorical accuracy; of equal scores the first counts.
inline constexpr family accuracy_family{.name = "accuracy",
                                        .inputs = 2,
                                        .shapes = accuracy_rules::shapes,
                                        .forward = accuracy_rules::forward};

}  // namespace ipu_dsl
