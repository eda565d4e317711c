// SPDX-License-Identifier: MIT
// Normalization: features by the mean and variance that the data have, which no update moves.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>

namespace ipu_dsl {

namespace normalization_rules {

using variant = batch_normalization_variant;

/// Keras divides by a deviation of at least 1e-7, its epsilon(). To a variance its square is added,
/// which makes of none the same.
inline constexpr float least_variance = 1e-14F;

constexpr label describe(const family&, const attributes&) {
  return "Normalization<>";
}

constexpr problem shapes(node_draft& draft) {
  const shape& input = draft.input(0);
  if (input.rank == 0) {
    return refuse("samples of at least 1 axis", ipu_dsl::describe(input),
                  "the last axis is that of the features");
  }
  const shape features{input[input.rank - 1]};
  draft.state("mean", features, {initializer_kind::zeros});
  draft.non_negative_state("variance", features, {initializer_kind::ones});
  draft.output(input);
  return {};
}

/// Its calls are those of a BatchNormalization without gamma and beta.
constexpr batch_normalization_call key_of(const emitter& emit, variant which) {
  const shape& input = emit.input_shape(0);
  const std::int32_t features = input[input.rank - 1];
  return {.variant = which,
          .batch = emit.batch(),
          .positions = static_cast<std::int32_t>(input.elements()) / features,
          .channels = features,
          .blocks = 1,
          .has_scale = 0,
          .has_center = 0,
          .apart = emit.input_value(0).lies == storage::positions ? 1 : 0};
}

/// The call that writes [positions, features] of what it reads.
constexpr void normalize(emitter& emit, variant which, const buffer_ref& written,
                         const buffer_ref& read) {
  using batch_normalization_rules::by_channel;
  const batch_normalization_call key = key_of(emit, which);
  call_draft call = emit.call_of(batch_normalization_family, key);
  const auto [sample, position, feature] = call.over(key.batch, key.positions, key.channels);
  call.scalar(least_variance)
      .writes(by_channel(written, key), {sample, position, feature})
      .reads_in_place(by_channel(read, key), {sample, position, feature});
  if (which == variant::normalize) {
    call.reads(emit.parameter_value(0), {feature});
  }
  call.reads(emit.parameter_value(1), {feature});
}

constexpr void forward(emitter& emit) {
  normalize(emit, variant::normalize, emit.output_value(0), emit.input_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    normalize(emit, variant::frozen_gradient, emit.input_gradient(0), emit.output_gradient(0));
  }
}

}  // namespace normalization_rules

inline constexpr family normalization_family{.name = "Normalization",
                                             .describe = normalization_rules::describe,
                                             .shapes = normalization_rules::shapes,
                                             .forward = normalization_rules::forward,
                                             .input_gradient = normalization_rules::input_gradient,
                                             .one_step = each_step_alone,
                                             .reads = {storage::rows, storage::positions},
                                             .writes = {storage::rows, storage::positions},
                                             .passes_mask = true};

/// (x - mean) / sqrt(variance) of every feature, the last axis of samples of any rank, as Keras's
/// preprocessing layer with its default axis. Mean and variance are kept as states that no training
/// moves, 0 and 1 until `adapt` of training/adapt.hpp takes them from data, or a file has them.
template <typename... Options>
struct Normalization {
 private:
  static constexpr problem fault = options_of<Options...>.find_fault({});

 public:
  static constexpr element description{
      .kind = element_kind::layer, .rule = &normalization_family, .fault = &fault};
};

}  // namespace ipu_dsl
