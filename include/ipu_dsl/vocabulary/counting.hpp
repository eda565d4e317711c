// SPDX-License-Identifier: MIT
// What the metrics have in common that count: each pair of a number of the output and its target is
// of some kind, and what is reported follows from how many of each kind there were.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/checked_numbers.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/rule_words.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// No such rule. One is:
///
///   struct my_rule {
///     float threshold = 0.5F;  // options, as those of a pointwise rule
///
///     // Adds the pair to what is counted: as many numbers as the family's result has.
///     [[gnu::always_inline]] void count(counted_numbers counted, float predicted,
///                                      float wanted) const;
///
///     // What is reported, from the sums over all samples.
///     [[gnu::always_inline]] double final_value(counted_sums counted) const;
///   };
struct no_counting_rule {};

/// The rule of a metric that counts, specialised in its own header.
template <const family* Judge>
struct counting_rule {
  using type = no_counting_rule;
};

/// Whether a metric counts and its rule is known.
template <const family* Judge>
concept judges_by_counting = !std::same_as<typename counting_rule<Judge>::type, no_counting_rule>;

/// Writes the result, [numbers]; reads output, target, weights.
struct counting_call {
  static constexpr std::string_view joined_by = "counting_rule";

  std::int32_t batch;
  std::int32_t units;    ///< numbers of a sample
  std::int32_t numbers;  ///< that are counted
  rule_words rule;       ///< the members of the rule
  weighing weights;
};

namespace counting_rules {

/// Targets are floats, as many as the output has; so many numbers are counted.
constexpr problem shapes(node_draft& draft, std::int32_t numbers) {
  draft.target(draft.input(0), dtype::float32);
  draft.result(numbers);
  return {};
}

constexpr void forward(emitter& emit) {
  const counting_call key = {.batch = emit.batch(),
                             .units = static_cast<std::int32_t>(emit.input_shape(0).elements()),
                             .numbers = emit.output_shape(0)[0],
                             .rule = emit.options<rule_words>(),
                             .weights = sample_weights_rules::of(emit)};
  call_draft call = emit.call(key);
  const axis_id number = call.over(key.numbers);
  const axis_id sample = call.all(key.batch);
  const axis_id unit = call.all(key.units);
  call.writes(emit.output_value(0), {number})
      .reads(emit.input_value(0).flat(), {sample, unit})
      .reads(emit.input_value(1).flat(), {sample, unit});
  sample_weights_rules::read_each(emit, call, key.weights, sample);
  call.costs(std::int64_t{key.batch} * key.units);
}

}  // namespace counting_rules

}  // namespace ipu_dsl
