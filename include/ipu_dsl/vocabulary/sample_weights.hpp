// SPDX-License-Identifier: MIT
// What samples count in a loss or a metric, if they do not all count alike.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/emitter.hpp>

namespace ipu_dsl {

/// What has a weight of its own in a loss or a metric.
enum class weighed : std::uint8_t { nothing, samples, positions };

inline constexpr option_key weighs_key{
    "sample_weights or position_weights",
    "loss<mean_squared_error, sample_weights> or metric<accuracy, sample_weights>"};

/// Each sample counts in the loss what a weight says that comes with the data:
/// `loss<mean_squared_error, sample_weights>`, beside a `weight_column`. The mean is still over all
/// samples, as in Keras, so that it does not matter how they are cut into micro-batches; that of a
/// metric, `metric<accuracy, sample_weights>`, is over what they count, as of Keras's
/// `weighted_metrics`. A sample of weight 0 is not looked at.
struct sample_weights {
  static constexpr option as_option{&weighs_key, static_cast<std::int32_t>(weighed::samples)};
};

/// The same of each position of an output (steps, features): weights of 0 and 1 are a mask.
struct position_weights {
  static constexpr option as_option{&weighs_key, static_cast<std::int32_t>(weighed::positions)};
};

/// How a call weighs samples: a part of its key. The weights are the last that it reads, of each
/// sample so many as it has positions.
struct weighing {
  std::int32_t positions = 0;  ///< of a sample that have a weight of their own; 0: all count alike
  std::int32_t mean_over_weights = 0;  ///< 1: counts their sum, not the samples; of a metric

  constexpr bool weighs() const { return positions > 0; }
};

namespace sample_weights_rules {

/// That of the node at hand.
constexpr weighing of(const emitter& emit) {
  const std::int32_t weights = emit.weight_input();
  if (weights < 0) {
    return {};
  }
  return {.positions = static_cast<std::int32_t>(emit.input_shape(weights).elements()),
          .mean_over_weights = emit.purpose() == node_purpose::metric ? 1 : 0};
}

/// Reads one weight of every sample; where all count alike, nothing.
constexpr void read(emitter& emit, call_draft& call, axis_id sample) {
  const std::int32_t weights = emit.weight_input();
  if (weights >= 0) {
    call.reads(emit.input_value(weights).flat(), {sample, reach()});
  }
}

/// Reads the weights of all positions of every sample, in a nest that sums over them.
constexpr void read_each(emitter& emit, call_draft& call, const weighing& weights, axis_id sample) {
  if (weights.weighs()) {
    const axis_id position = call.all(weights.positions);
    call.reads(emit.input_value(emit.weight_input()).flat(), {sample, position});
  }
}

}  // namespace sample_weights_rules

}  // namespace ipu_dsl
