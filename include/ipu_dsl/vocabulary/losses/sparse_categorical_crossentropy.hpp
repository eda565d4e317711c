// SPDX-License-Identifier: MIT
// Cross-entropy of class scores with labels that are class numbers.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// What the model's output is taken for.
enum class score_kind : std::int32_t {
  logits,         ///< any numbers: the loss applies softmax itself
  probabilities,  ///< clipped to [1e-7, 1 - 1e-7], as Keras does with an output that is no softmax
};

struct crossentropy_options {
  score_kind scores = score_kind::logits;
};

enum class crossentropy_variant : std::int32_t {
  loss,     ///< writes the micro-batch's loss; reads scores, labels
  gradient  ///< writes the scores' gradient and the micro-batch's loss; reads scores, labels
};

struct crossentropy_call {
  crossentropy_variant variant;
  std::int32_t batch;
  std::int32_t classes;
  score_kind scores;
};

namespace crossentropy_rules {

constexpr problem shapes(node_draft& draft) {
  if (draft.input(0).rank != 1) {
    return refuse("a vector, one score a class", describe(draft.input(0)),
                  "end the model in Dense<classes>");
  }
  if (draft.input(0)[0] < 2) {
    return refuse("scores of at least 2 classes", describe(draft.input(0)),
                  "for two classes end the model in Dense<2>: one score has the loss 0, whatever "
                  "is learnt");
  }
  draft.output({});
  return {};
}

constexpr crossentropy_call key_of(const emitter& emit, crossentropy_variant variant) {
  return {.variant = variant,
          .batch = emit.batch(),
          .classes = emit.input_shape(0)[0],
          .scores = emit.options<crossentropy_options>().scores};
}

constexpr void forward(emitter& emit) {
  const crossentropy_call key = key_of(emit, crossentropy_variant::loss);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id score = call.all(key.classes);
  call.reads(emit.input_value(0), {sample, score}).reads(emit.input_value(1), {sample});
}

/// One call computes loss and gradient from the kept scores.
constexpr void input_gradient(emitter& emit) {
  const crossentropy_call key = key_of(emit, crossentropy_variant::gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id score = call.all(key.classes);
  call.writes(emit.input_gradient(0), {sample, score})
      .reads(emit.input_value(0), {sample, score})
      .reads(emit.input_value(1), {sample});
}

}  // namespace crossentropy_rules

inline constexpr family sparse_categorical_crossentropy_family{
    .name = "sparse_categorical_crossentropy",
    .inputs = 2,
    .shapes = crossentropy_rules::shapes,
    .forward = crossentropy_rules::forward,
    .input_gradient = crossentropy_rules::input_gradient};

inline constexpr option_key scores_key{"what the model's output is taken for"};

/// The output holds logits: the default, unlike Keras's, because it is what trains well.
struct from_logits {
  static constexpr option as_option{&scores_key, 0};
};

/// The output holds probabilities, from a softmax.
struct from_probabilities {
  static constexpr option as_option{&scores_key, 1};
};

/// The output is taken for probabilities clipped to [1e-7, 1 - 1e-7], as Keras
/// does.
struct from_clipped_probabilities {
  static constexpr option as_option{&scores_key, 2};
};

/// `loss<sparse_categorical_crossentropy>`: minus the logarithm of the probability of the label, a
/// mean over the samples of a micro-batch.
struct sparse_categorical_crossentropy {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &sparse_categorical_crossentropy_family;
};

}  // namespace ipu_dsl
