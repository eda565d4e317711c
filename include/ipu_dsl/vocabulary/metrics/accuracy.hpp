// SPDX-License-Identifier: MIT
// The share of samples whose highest score is that of their label.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

struct accuracy_call {
  std::int32_t batch;
  std::int32_t classes;
};

namespace accuracy_rules {

constexpr problem shapes(node_draft& draft) {
  draft.output({});
  return {};
}

constexpr void forward(emitter& emit) {
  const accuracy_call key = {.batch = emit.batch(), .classes = emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id score = call.all(key.classes);
  call.reads(emit.input_value(0), {sample, score}).reads(emit.input_value(1), {sample});
}

}  // namespace accuracy_rules

/// Keras's sparse categorical accuracy; of equal scores the first counts.
inline constexpr family accuracy_family{.name = "accuracy",
                                        .inputs = 2,
                                        .shapes = accuracy_rules::shapes,
                                        .forward = accuracy_rules::forward};

}  // namespace ipu_dsl
