// SPDX-License-Identifier: MIT
// The share of samples whose highest score is that of their label.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/last_axis.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// Writes the result {samples that were right, samples}; reads scores, labels, weights.
struct accuracy_call {
  std::int32_t batch;
  std::int32_t classes;
  weighing weights;
  std::int32_t positions;  ///< of a sample that have classes of their own
};

namespace accuracy_rules {

constexpr problem shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  const problem unfit = last_axis_rules::check_last_axis(draft);
  if (unfit.found()) {
    return unfit;
  }
  draft.target(last_axis_rules::labels_of(scores), dtype::int32,
               last_axis_rules::length_of(scores));
  draft.result(2);
  // The largest score is the largest probability: training needs no softmax for this.
  if (made_by(draft, activation_kind::softmax)) {
    draft.pass_over_producer();
  }
  return {};
}

constexpr void forward(emitter& emit) {
  const shape& scores = emit.input_shape(0);
  const accuracy_call key = {.batch = emit.batch(),
                             .classes = last_axis_rules::length_of(scores),
                             .weights = sample_weights_rules::of(emit),
                             .positions = positions_of(scores)};
  call_draft call = emit.call(key);
  last_axis_rules::count(emit, call, key.weights);
}

}  // namespace accuracy_rules

inline constexpr family accuracy_family{.name = "accuracy",
                                        .shapes = accuracy_rules::shapes,
                                        .forward = accuracy_rules::forward,
                                        .reads = {storage::positions}};

/// `metrics<accuracy>`: Keras's sparse categorical accuracy; of equal scores the first counts. Of
/// an output of several axes that of each position, a mean over these.
struct accuracy {
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &accuracy_family;
};

}  // namespace ipu_dsl
