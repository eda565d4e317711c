// SPDX-License-Identifier: MIT
// Cross-entropy of class scores with labels that are class numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
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
};

namespace crossentropy_rules {

constexpr problem shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  if (scores.rank != 1) {
    return refuse("a vector, one score a class", describe(scores),
                  "for classes of a whole sample put Flatten before Dense, which multiplies the "
                  "last axis alone; classes at each position are not there yet");
  }
  if (scores[0] < 2) {
    return refuse("scores of at least 2 classes", describe(scores),
                  "for two classes end the model in Dense<2>: one score has the loss 0, whatever "
                  "is learnt");
  }
  draft.target({}, dtype::int32, scores[0]);
  draft.result(2);
  return choose_scores<crossentropy_options>(draft, activation_kind::softmax);
}

constexpr crossentropy_call key_of(const emitter& emit, crossentropy_variant variant) {
  return {.variant = variant,
          .batch = emit.batch(),
          .classes = emit.input_shape(0)[0],
          .scores = emit.options<crossentropy_options>().scores,
          .weights = sample_weights_rules::of(emit)};
}

constexpr void forward(emitter& emit) {
  const crossentropy_call key = key_of(emit, crossentropy_variant::loss);
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

/// One call computes loss and gradient from the kept scores.
constexpr void input_gradient(emitter& emit) {
  const crossentropy_call key = key_of(emit, crossentropy_variant::gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id score = call.all(key.classes);
  call.writes(emit.input_gradient(0), {sample, score});
  call.beside();
  const axis_id number = call.over(2);
  const axis_id each_sample = call.all(key.batch);
  const axis_id each_score = call.all(key.classes);
  call.writes(emit.output_value(0), {number})
      .reads(emit.input_value(0), {sample, score})
      .reads(emit.input_value(1), {sample})
      .reads(emit.input_value(0), {each_sample, each_score})
      .reads(emit.input_value(1), {each_sample});
  sample_weights_rules::read(emit, call, sample);
  sample_weights_rules::read(emit, call, each_sample);
  call.costs(std::int64_t{key.batch} * key.classes);
}

}  // namespace crossentropy_rules

inline constexpr family sparse_categorical_crossentropy_family{
    .name = "sparse_categorical_crossentropy",
    .shapes = crossentropy_rules::shapes,
    .forward = crossentropy_rules::forward,
    .input_gradient = crossentropy_rules::input_gradient};

/// `loss<sparse_categorical_crossentropy>`: minus the logarithm of the probability of the label, a
/// mean over the samples of a micro-batch.
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
