// SPDX-License-Identifier: MIT
// PositionEmbedding: what each place of a sequence adds to what stands there.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_input.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

enum class position_embedding_variant : std::int32_t {
  forward,  ///< writes y, reads x, table
  gradient  ///< adds to the accumulator of the table, reads d
};

struct position_embedding_call {
  position_embedding_variant variant;
  std::int32_t batch;
  std::int32_t positions;  ///< of a sample
  std::int32_t features;
};

namespace position_embedding_rules {

constexpr problem shapes(node_draft& draft) {
  const shape input = draft.input(0);
  if (input.rank != 2) {
    return refuse_no_sequence("a sequence (steps, features)", input);
  }
  draft.parameter("embeddings", input, draft.start(0));
  draft.output(input);
  return {};
}

constexpr position_embedding_call key_of(const emitter& emit, position_embedding_variant which) {
  const shape& input = emit.input_shape(0);
  return {.variant = which, .batch = emit.batch(), .positions = input[0], .features = input[1]};
}

constexpr void forward(emitter& emit) {
  const auto key = key_of(emit, position_embedding_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [position, feature] = call.over(key.positions, key.features);
  call.writes(emit.output_value(0), {sample, position, feature})
      .reads(emit.input_value(0), {sample, position, feature})
      .reads(emit.parameter_value(0), {position, feature});
}

/// It is that of the output: a sum of one term.
constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const stored_rows lain = emit.rows_of(emit.output_value(0));
  call_draft call = emit.call_of(add_family, add_call{1, lain.count, lain.length});
  const auto [sample, element] = call.over(emit.batch(), emit.output_shape(0).elements());
  call.writes(emit.input_gradient(0).flat(), {sample, element})
      .reads(emit.output_gradient(0).flat(), {sample, element});
}

constexpr void weight_gradient(emitter& emit) {
  const auto key = key_of(emit, position_embedding_variant::gradient);
  call_draft call = emit.call(key);
  const auto [position, feature] = call.over(key.positions, key.features);
  const axis_id sample = call.all(key.batch);
  call.updates(emit.accumulator(0), {position, feature})
      .reads(emit.output_gradient(0), {sample, position, feature});
}

}  // namespace position_embedding_rules

inline constexpr family position_embedding_family{
    .name = "PositionEmbedding",
    .describe = [](const family&, const attributes&) { return label("PositionEmbedding<>"); },
    .shapes = position_embedding_rules::shapes,
    .forward = position_embedding_rules::forward,
    .input_gradient = position_embedding_rules::input_gradient,
    .weight_gradient = position_embedding_rules::weight_gradient,
    .reads = {storage::positions},
    .writes = {storage::positions},
    .passes_mask = true};

/// x + embeddings, of sequences (steps, features): a table [steps, features] that is learned, so
/// that layers behind it know which step they see. Options: `init<...>` (glorot_uniform);
/// `embeddings_regularizer<...>`, `embeddings_constraint<...>` (none). (Gehring et al.
/// 2017; KerasHub's PositionEmbedding, whose output is to be added)
template <typename... Options>
struct PositionEmbedding {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&init_key, &embeddings_regularizer_key,
                                                   &embeddings_constraint_key};
  static constexpr problem fault = given.find_fault(accepted);
  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start)};

 public:
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &position_embedding_family,
                                       .starts = starts,
                                       .fault = &fault,
                                       .weights = find_weight_rules<Options...>()};
};

}  // namespace ipu_dsl
