// SPDX-License-Identifier: MIT
// Cross-entropy of class scores with labels that are class numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/last_axis.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>
#include <ipu_dsl/vocabulary/scores.hpp>

namespace ipu_dsl {

struct crossentropy_options {
  score_kind scores = score_kind::logits;
};

enum class crossentropy_variant : std::int32_t {
  loss,     ///< writes the result {sum of losses, samples}; reads scores, labels, weights
  gradient  ///< writes the scores' gradient and the result; reads scores, labels, weights
};

struct crossentropy_call {
  crossentropy_variant variant;
  std::int32_t batch;
  std::int32_t classes;
  score_kind scores;
  weighing weights;
  std::int32_t positions;  ///< of a sample that have classes of their own
};

namespace crossentropy_rules {

constexpr problem shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  const problem unfit = last_axis_rules::check_classes(
      draft,
      "for two classes end the model in Dense<2>: one score has the loss 0, whatever is learnt");
  if (unfit.found()) {
    return unfit;
  }
  draft.target(last_axis_rules::labels_of(scores), dtype::int32,
               last_axis_rules::length_of(scores));
  draft.result(2);
  return choose_scores<crossentropy_options>(draft, activation_kind::softmax);
}

constexpr crossentropy_call key_of(const emitter& emit, crossentropy_variant variant) {
  const shape& scores = emit.input_shape(0);
  return {.variant = variant,
          .batch = emit.batch(),
          .classes = last_axis_rules::length_of(scores),
          .scores = emit.options<crossentropy_options>().scores,
          .weights = sample_weights_rules::of(emit),
          .positions = positions_of(scores)};
}

constexpr void forward(emitter& emit) {
  const crossentropy_call key = key_of(emit, crossentropy_variant::loss);
  call_draft call = emit.call(key);
  last_axis_rules::count(emit, call, key.weights);
}

/// One call computes loss and gradient from the kept scores.
constexpr void input_gradient(emitter& emit) {
  const crossentropy_call key = key_of(emit, crossentropy_variant::gradient);
  call_draft call = emit.call(key);
  last_axis_rules::differentiate(emit, call, key.weights);
}

}  // namespace crossentropy_rules

inline constexpr family sparse_categorical_crossentropy_family{
    .name = "sparse_categorical_crossentropy",
    .shapes = crossentropy_rules::shapes,
    .forward = crossentropy_rules::forward,
    .input_gradient = crossentropy_rules::input_gradient,
    .reads = {storage::positions}};

/// `loss<sparse_categorical_crossentropy>`: minus the logarithm of the probability of the label, a
/// mean over the samples of a micro-batch; of an output of several axes, such as (steps, classes),
/// over its positions as well, each of which has a label.
struct sparse_categorical_crossentropy {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &sparse_categorical_crossentropy_family;
  static constexpr const option_key* accepted[] = {&scores_key};

  template <std::size_t Count>
  static constexpr crossentropy_options read(const option_list<Count>& given) {
    return {static_cast<score_kind>(given.integer(scores_key, 0))};
  }
};

}  // namespace ipu_dsl
