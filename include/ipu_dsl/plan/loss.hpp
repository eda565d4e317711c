// SPDX-License-Identifier: MIT
// The loss and the metrics as the last nodes of a graph.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>

namespace ipu_dsl {

/// The tensor that a softmax at the end of the model reads; -1 if the model does not end in one.
constexpr std::int32_t logits_of_softmax(const graph_view& model) {
  const tensor& output = model.at(model.output);
  if (output.producer < 0) {
    return -1;
  }
  const node& last = model.node_at(output.producer);
  const bool ends_in_softmax =
      last.rule == &activation_family &&
      last.options.as<activation_options>().kind == activation_kind::softmax;
  return ends_in_softmax ? model.input_of(last, 0) : -1;
}

/// What the user asked the loss to take the output for.
enum class requested_scores : std::int32_t { logits, probabilities, clipped_probabilities };

/// Appends the loss and the accuracy. A model that ends in softmax trains on the logits before it,
/// whatever was asked, as Keras does: the gradient of log(softmax(x)) is exact there, and a second
/// softmax would be wrong. Probabilities of a model without softmax are refused, unless Keras's
/// clipping is asked for by name.
constexpr problem attach_loss(graph& model, const family& loss, requested_scores requested) {
  const std::int32_t logits = logits_of_softmax(model.view());
  if (logits < 0 && requested == requested_scores::probabilities) {
    problem found =
        refuse("an output of softmax for a loss from probabilities", "one without softmax",
               "drop from_probabilities to train on logits, or write from_clipped_probabilities "
               "for Keras's clipping of the output");
    found.where = where_is(model.layers.back());
    return found;
  }
  const bool clipped = logits < 0 && requested == requested_scores::clipped_probabilities;
  const crossentropy_options options{clipped ? score_kind::probabilities : score_kind::logits};
  const std::int32_t scores = logits >= 0 ? logits : model.output;
  model.target = add_source(model, {}, dtype::int32, tensor_role::target);
  model.loss = static_cast<std::int32_t>(model.nodes.size());
  const std::int32_t inputs[] = {scores, model.target};
  const std::int32_t last_stage = model.stages - 1;
  problem found = add_node(model, loss, attributes::of(options), inputs, last_stage, -1);
  if (!found.found()) {
    found = add_node(model, accuracy_family, {}, inputs, last_stage, -1);
  }
  if (found.found()) {
    found.where = where_is(model.layers.back());
  }
  return found;
}

}  // namespace ipu_dsl
