// SPDX-License-Identifier: MIT
// LayerNormalization and RMSNormalization: the numbers of every position normalised among
// themselves.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/vocabulary/layers/normalization_options.hpp>

namespace ipu_dsl {

enum class layer_normalization_variant : std::int32_t {
  forward,         ///< writes y, inverse[, mean]; reads x[, gamma][, beta]
  input_gradient,  ///< writes the gradient of x; reads d, x, inverse[, mean][, gamma]
  weight_gradient  ///< adds to the accumulators of [gamma][, beta]; reads d, x, inverse[, mean]
};

struct layer_normalization_call {
  layer_normalization_variant variant;
  std::int32_t batch;
  std::int32_t positions;  ///< of a sample
  std::int32_t units;      ///< the last extent
  std::int32_t centers;    ///< takes the mean off
  std::int32_t has_scale;
  std::int32_t has_center;
};

namespace layer_normalization_rules {

using variant = layer_normalization_variant;

/// Keras's defaults; a layer that does not centre has no beta.
inline constexpr normalization_options usual{};
inline constexpr normalization_options usual_of_rms{
    .epsilon = 1e-6F, .has_center = 0, .centers = 0};

constexpr label describe(const family& self, const attributes& given) {
  const auto options = given.as<normalization_options>();
  label words = self.name;
  words << "<";
  write_options(words, options, options.centers != 0 ? usual : usual_of_rms, "");
  return words << ">";
}

constexpr layer_normalization_call key_of(const emitter& emit, variant which) {
  const auto options = emit.options<normalization_options>();
  const shape& input = emit.input_shape(0);
  return {.variant = which,
          .batch = emit.batch(),
          .positions = positions_of(input),
          .units = input[input.rank - 1],
          .centers = options.centers,
          .has_scale = options.has_scale,
          .has_center = options.has_center};
}

/// One number of each position, kept for the gradients: what it was multiplied by (0), the mean
/// that was taken off before (1).
constexpr buffer_ref moment(const emitter& emit, std::int32_t number) {
  return emit.scratch(number, {positions_of(emit.input_shape(0))}, storage::rows);
}

constexpr void read_moments(const emitter& emit, call_draft& call, axis_id sample,
                            axis_id position) {
  call.reads(moment(emit, 0), {sample, position});
  if (emit.options<normalization_options>().centers != 0) {
    call.reads(moment(emit, 1), {sample, position});
  }
}

constexpr void forward(emitter& emit) {
  const auto options = emit.options<normalization_options>();
  const layer_normalization_call key = key_of(emit, variant::forward);
  call_draft call = emit.call(key);
  const auto [sample, position] = call.over(key.batch, key.positions);
  const axis_id unit = call.all(key.units);
  call.scalar(options.epsilon)
      .writes(by_position(emit.output_value(0)), {sample, position, unit})
      .writes(moment(emit, 0), {sample, position});
  if (options.centers != 0) {
    call.writes(moment(emit, 1), {sample, position});
  }
  call.reads(by_position(emit.input_value(0)), {sample, position, unit});
  for (std::int32_t i = 0; i < options.parameters(); ++i) {
    call.reads(emit.parameter_value(i), {unit});
  }
}

constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const layer_normalization_call key = key_of(emit, variant::input_gradient);
  call_draft call = emit.call(key);
  const auto [sample, position] = call.over(key.batch, key.positions);
  const axis_id unit = call.all(key.units);
  call.writes(by_position(emit.input_gradient(0)), {sample, position, unit})
      .reads(by_position(emit.output_gradient(0)), {sample, position, unit})
      .reads(by_position(emit.input_value(0)), {sample, position, unit});
  read_moments(emit, call, sample, position);
  if (key.has_scale != 0) {
    call.reads(emit.parameter_value(0), {unit});
  }
}

/// Both from the same operands.
constexpr void weight_gradient(emitter& emit) {
  const std::int32_t parameters = emit.options<normalization_options>().parameters();
  if (parameters == 0) {
    return;
  }
  const layer_normalization_call key = key_of(emit, variant::weight_gradient);
  call_draft call = emit.call(key);
  const axis_id unit = call.over(key.units);
  const axis_id sample = call.all(key.batch);
  const axis_id position = call.all(key.positions);
  for (std::int32_t i = 0; i < parameters; ++i) {
    call.updates(emit.accumulator(i), {unit});
  }
  call.reads(by_position(emit.output_gradient(0)), {sample, position, unit})
      .reads(by_position(emit.input_value(0)), {sample, position, unit});
  read_moments(emit, call, sample, position);
}

}  // namespace layer_normalization_rules

inline constexpr family layer_normalization_family{
    .name = "LayerNormalization",
    .describe = layer_normalization_rules::describe,
    .shapes = add_normalized,
    .forward = layer_normalization_rules::forward,
    .input_gradient = layer_normalization_rules::input_gradient,
    .weight_gradient = layer_normalization_rules::weight_gradient,
    .one_step = each_step_alone,
    .reads = {storage::positions},
    .writes = {storage::positions},
    .passes_mask = true};

inline constexpr family rms_normalization_family{
    .name = "RMSNormalization",
    .describe = layer_normalization_rules::describe,
    .shapes = add_normalized,
    .forward = layer_normalization_rules::forward,
    .input_gradient = layer_normalization_rules::input_gradient,
    .weight_gradient = layer_normalization_rules::weight_gradient,
    .one_step = each_step_alone,
    .reads = {storage::positions},
    .writes = {storage::positions},
    .passes_mask = true};

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta of every position, the last axis of samples
/// of any rank; mean and variance (that of the population) are those of the position's own numbers.
/// Options in any order, with Keras's defaults: `epsilon<...>` (0.001), `use_scale<...>` (true),
/// `use_center<...>` (true), `gamma_init<...>` (ones), `beta_init<...>` (zeros);
/// `gamma_regularizer<...>`, `beta_regularizer<...>`, `gamma_constraint<...>`,
/// `beta_constraint<...>` (none). (Ba, Kiros and Hinton 2016)
template <typename... Options>
struct LayerNormalization {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr problem fault = find_normalization_fault(given, normalization_keys);
  static constexpr normalization_options options =
      read_normalization(given, layer_normalization_rules::usual);

 public:
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &layer_normalization_family,
                                       .options = attributes::of(options),
                                       .starts = normalization_starts<Options...>,
                                       .fault = &fault,
                                       .weights = find_weight_rules<Options...>()};
};

/// x / sqrt(mean of x^2 + epsilon) * gamma of every position. Options in any order, with Keras's
/// defaults: `epsilon<...>` (0.000001), `use_scale<...>` (true), `gamma_init<...>` (ones);
/// `gamma_regularizer<...>`, `gamma_constraint<...>` (none). (Zhang and Sennrich 2019)
template <typename... Options>
struct RMSNormalization {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&epsilon_key, &use_scale_key, &gamma_init_key,
                                                   &gamma_regularizer_key, &gamma_constraint_key};
  static constexpr problem fault = find_normalization_fault(given, accepted);
  static constexpr normalization_options options =
      read_normalization(given, layer_normalization_rules::usual_of_rms);

 public:
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &rms_normalization_family,
                                       .options = attributes::of(options),
                                       .starts = normalization_starts<Options...>,
                                       .fault = &fault,
                                       .weights = find_weight_rules<Options...>()};
};

}  // namespace ipu_dsl
