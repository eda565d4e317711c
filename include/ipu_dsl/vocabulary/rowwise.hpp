// SPDX-License-Identifier: MIT
// What the losses and metrics have in common that judge the numbers of a sample together.
#pragma once

#include <concepts>
#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/rule_words.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// No such rule. One says what a sample adds, from sums and maxima over its numbers:
///
///   struct my_rule {
///     float smoothing = 0;  // options, as those of a pointwise rule
///
///     template <typename Row>
///     [[gnu::always_inline]] float judge(const Row& row) const;
///   };
///
/// A row has `predicted` and `wanted` [units], or in place of the latter a `label`;
/// `row.sum(add)`, the sum to which `add(sum, predicted, wanted)` leads from zero;
/// `row.largest(value)` of `value(predicted, wanted)`; and of a loss `row.slopes(slope)`, which
/// comes last and is told the derivative by `predicted` as `slope(predicted, wanted)`. They are
/// given functions that take floats and vectors of them, as the rule of `pointwise_rule` does, and
/// compute with `typename Row::math`.
struct no_row_rule {};

/// The rule of a loss or a metric that is a mean over samples of what one sample says; specialised
/// in its own header.
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
  rowwise_variant variant;
  std::int32_t batch;
  std::int32_t units;   ///< numbers of a sample
  std::int32_t labels;  ///< 1: targets are numbers of classes
  rule_words rule;      ///< the members of the rule
  weighing weights;
};

namespace rowwise_rules {

constexpr problem check_vector(const shape& output) {
  if (output.rank == 1) {
    return {};
  }
  return refuse("a vector", describe(output),
                "put Flatten before Dense, which multiplies the last axis alone");
}

/// Targets are floats, as many as the output has.
constexpr problem shapes(node_draft& draft) {
  draft.target(draft.input(0), dtype::float32);
  draft.result(2);
  return check_vector(draft.input(0));
}

/// Targets are numbers of classes, of which the output has scores.
constexpr problem label_shapes(node_draft& draft) {
  const problem found = check_vector(draft.input(0));
  if (!found.found()) {
    draft.target({}, dtype::int32, draft.input(0)[0]);
    draft.result(2);
  }
  return found;
}

constexpr rowwise_call key_of(const emitter& emit, rowwise_variant variant) {
  return {.variant = variant,
          .batch = emit.batch(),
          .units = emit.input_shape(0)[0],
          .labels = emit.input_shape(1).rank == 0 ? 1 : 0,
          .rule = emit.options<rule_words>(),
          .weights = sample_weights_rules::of(emit)};
}

/// Reads what is wanted of a sample, and what it counts.
constexpr void read_target(emitter& emit, call_draft& call, const rowwise_call& key, axis_id sample,
                           axis_id unit) {
  if (key.labels != 0) {
    call.reads(emit.input_value(1), {sample});
  } else {
    call.reads(emit.input_value(1), {sample, unit});
  }
  sample_weights_rules::read(emit, call, sample);
}

/// The nest that writes the result.
constexpr void count(emitter& emit, call_draft& call, const rowwise_call& key) {
  const axis_id number = call.over(2);
  const axis_id sample = call.all(key.batch);
  const axis_id unit = call.all(key.units);
  call.writes(emit.output_value(0), {number}).reads(emit.input_value(0), {sample, unit});
  read_target(emit, call, key, sample, unit);
  call.costs(std::int64_t{key.batch} * key.units);
}

constexpr void forward(emitter& emit) {
  const rowwise_call key = key_of(emit, rowwise_variant::value);
  call_draft call = emit.call(key);
  count(emit, call, key);
}

/// One call computes the loss and its gradient.
constexpr void input_gradient(emitter& emit) {
  const rowwise_call key = key_of(emit, rowwise_variant::gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = call.all(key.units);
  call.writes(emit.input_gradient(0), {sample, unit});
  call.beside();
  count(emit, call, key);
  call.reads(emit.input_value(0), {sample, unit});
  read_target(emit, call, key, sample, unit);
}

}  // namespace rowwise_rules

}  // namespace ipu_dsl
