// SPDX-License-Identifier: MIT
// What the losses and metrics have in common that judge the numbers of the last axis together.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/last_axis.hpp>
#include <ipu_dsl/vocabulary/rule_words.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// No such rule. One says what a row adds, a sample or one of its positions, from sums and maxima
/// over its numbers:
///
///   struct my_rule {
///     float smoothing = 0;  // options, as those of a pointwise rule
///
///     template <typename Row>
///     [[gnu::always_inline]] auto judge(const Row& row) const;
///   };
///
/// A row has `predicted` and `wanted` [units], or in place of the latter a `label`;
/// `row.sum(add)`, the sum to which `add(sum, predicted, wanted)` leads from zero, and
/// `row.largest(value)` of `value(predicted, wanted)`. A metric returns a float, a loss
/// `row.loss(value, slope)`: `slope(predicted, wanted)` is the derivative by `predicted`. They are
/// given functions that take floats and vectors of them, as the rule of `pointwise_rule` does, and
/// compute with `typename Row::math`.
struct no_row_rule {};

/// The rule of a loss or a metric that is a mean over samples, and over the positions of each, of
/// what the numbers there say; specialised in its own header. Its family reads
/// `storage::positions`.
template <const family* Judge>
struct row_rule {
  using type = no_row_rule;
};

/// Whether a loss or a metric judges samples as a whole and its rule is known.
template <const family* Judge>
concept judges_rows = !std::same_as<typename row_rule<Judge>::type, no_row_rule>;

enum class rowwise_variant : std::int32_t {
  value,    ///< writes the result {sum over samples, samples}; reads output, target, weights
  gradient  ///< writes the output's gradient and the result; reads output, target, weights
};

struct rowwise_call {
  static constexpr std::string_view joined_by = "row_rule";

  rowwise_variant variant;
  std::int32_t batch;
  std::int32_t units;   ///< numbers that are judged together
  std::int32_t labels;  ///< 1: targets are numbers of classes
  rule_words rule;      ///< the members of the rule
  weighing weights;
  std::int32_t positions;  ///< of a sample that are judged one by one
};

namespace rowwise_rules {

/// Targets are floats, as many as the output has.
constexpr problem shapes(node_draft& draft) {
  draft.target(draft.input(0), dtype::float32);
  draft.result(2);
  return last_axis_rules::check_last_axis(draft);
}

/// Targets are numbers of classes, of which the output has scores.
constexpr problem label_shapes(node_draft& draft) {
  const shape scores = draft.input(0);
  const problem found = last_axis_rules::check_last_axis(draft);
  if (!found.found()) {
    draft.target(last_axis_rules::labels_of(scores), dtype::int32,
                 last_axis_rules::length_of(scores));
    draft.result(2);
  }
  return found;
}

constexpr rowwise_call key_of(const emitter& emit, rowwise_variant variant) {
  const shape& output = emit.input_shape(0);
  return {.variant = variant,
          .batch = emit.batch(),
          .units = last_axis_rules::length_of(output),
          .labels = last_axis_rules::told_labels(emit) ? 1 : 0,
          .rule = emit.options<rule_words>(),
          .weights = sample_weights_rules::of(emit),
          .positions = positions_of(output)};
}

constexpr void forward(emitter& emit) {
  const rowwise_call key = key_of(emit, rowwise_variant::value);
  call_draft call = emit.call(key);
  last_axis_rules::count(emit, call, key.weights);
}

/// One call computes the loss and its gradient.
constexpr void input_gradient(emitter& emit) {
  const rowwise_call key = key_of(emit, rowwise_variant::gradient);
  call_draft call = emit.call(key);
  last_axis_rules::differentiate(emit, call, key.weights);
}

}  // namespace rowwise_rules

}  // namespace ipu_dsl
