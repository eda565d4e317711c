// SPDX-License-Identifier: MIT
// What the losses and metrics have in common that judge one number at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/graph/pointwise_rule.hpp>
#include <ipu_dsl/vocabulary/result_check.hpp>
#include <ipu_dsl/vocabulary/rule_words.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

enum class pointwise_variant : std::int32_t {
  value,  ///< writes the result {sum of the samples' means, samples}; reads output, target, weights
  gradient  ///< writes the output's gradient and the result; reads output, target, weights
};

struct pointwise_call {
  static constexpr std::string_view joined_by = "pointwise_rule";

  pointwise_variant variant;
  std::int32_t batch;
  std::int32_t units;  ///< numbers of a sample
  rule_words rule;     ///< the members of the rule
  weighing weights;
};

namespace pointwise_rules {

/// Targets are floats, as many as the output has.
constexpr problem shapes(node_draft& draft) {
  draft.target(draft.input(0), dtype::float32);
  draft.result(2);
  return {};
}

constexpr pointwise_call key_of(const emitter& emit, pointwise_variant variant) {
  return {.variant = variant,
          .batch = emit.batch(),
          .units = static_cast<std::int32_t>(emit.input_shape(0).elements()),
          .rule = emit.options<rule_words>(),
          .weights = sample_weights_rules::of(emit)};
}

/// The nest that writes the result, from the output and from input `wanted`; from the output alone
/// if that is 0.
constexpr void count(emitter& emit, call_draft& call, const pointwise_call& key,
                     std::int32_t wanted = 1) {
  check_result(emit, call, 2);
  const axis_id number = call.over(2);
  const axis_id sample = call.all(key.batch);
  const axis_id unit = call.all(key.units);
  call.writes(emit.output_value(0), {number}).reads(emit.input_value(0).flat(), {sample, unit});
  if (wanted != 0) {
    call.reads(emit.input_value(wanted).flat(), {sample, unit});
  }
  sample_weights_rules::read_each(emit, call, key.weights, sample);
  call.costs(std::int64_t{key.batch} * key.units);
}

constexpr void forward(emitter& emit) {
  const pointwise_call key = key_of(emit, pointwise_variant::value);
  call_draft call = emit.call(key);
  count(emit, call, key);
}

/// One call computes the loss and its gradient, where each position of a sample has a weight.
constexpr void weighted_input_gradient(emitter& emit, const pointwise_call& key) {
  const std::int32_t positions = key.weights.positions;
  const shape seen = {positions, key.units / positions};
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id position = call.over(seen[0]);
  const axis_id feature = call.over(seen[1]);
  call.writes(emit.input_gradient(0).as(seen), {sample, position, feature});
  call.beside();
  count(emit, call, key);
  call.reads(emit.input_value(0).as(seen), {sample, position, feature})
      .reads(emit.input_value(1).as(seen), {sample, position, feature})
      .reads(emit.input_value(2).flat(), {sample, position});
}

/// The same of any loss.
constexpr void input_gradient(emitter& emit) {
  const pointwise_call key = key_of(emit, pointwise_variant::gradient);
  if (key.weights.weighs()) {
    weighted_input_gradient(emit, key);
    return;
  }
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = call.over(key.units);
  call.writes(emit.input_gradient(0).flat(), {sample, unit});
  call.beside();
  count(emit, call, key);
  call.reads(emit.input_value(0).flat(), {sample, unit})
      .reads(emit.input_value(1).flat(), {sample, unit});
}

}  // namespace pointwise_rules

}  // namespace ipu_dsl
