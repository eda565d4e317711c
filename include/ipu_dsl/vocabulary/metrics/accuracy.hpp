// SPDX-License-Identifier: MIT
// The share of samples whose highest score is that of their label.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// Writes the result {samples that were right, samples}; reads scores, labels, weights.
struct accuracy_call {
  std::int32_t batch;
  std::int32_t classes;
  weighing weights;
};

namespace accuracy_rules {

constexpr problem shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  if (scores.rank != 1) {
    return refuse("a vector, one score a class", describe(scores));
  }
  draft.target({}, dtype::int32, scores[0]);
  draft.result(2);
  // The largest score is the largest probability: training needs no softmax for this.
  if (made_by(draft, activation_kind::softmax)) {
    draft.pass_over_producer();
  }
  return {};
}

constexpr void forward(emitter& emit) {
  const accuracy_call key = {.batch = emit.batch(),
                             .classes = emit.input_shape(0)[0],
                             .weights = sample_weights_rules::of(emit)};
  call_draft call = emit.call(key);
  const axis_id number = call.over(2);
  const axis_id sample = call.all(key.batch);
  const axis_id score = call.all(key.classes);
  call.writes(emit.output_value(0), {number})
      .reads(emit.input_value(0), {sample, score})
      .reads(emit.input_value(1), {sample});
  sample_weights_rules::read(emit, call, sample);
  call.costs(std::int64_t{key.batch} * key.classes);
}

}  // namespace accuracy_rules

inline constexpr family accuracy_family{
    .name = "accuracy", .shapes = accuracy_rules::shapes, .forward = accuracy_rules::forward};

/// `metrics<accuracy>`: Keras's sparse categorical accuracy; of equal scores the first counts.
struct accuracy {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &accuracy_family;
};

}  // namespace ipu_dsl
