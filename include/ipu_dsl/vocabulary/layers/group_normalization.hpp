// SPDX-License-Identifier: MIT
// GroupNormalization: the channels of every sample normalised group by group.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/vocabulary/layers/normalization_options.hpp>

namespace ipu_dsl {

enum class group_normalization_variant : std::int32_t {
  forward,         ///< writes y, mean, inverse; reads x[, gamma][, beta]
  sums,            ///< writes each sample's gradients of beta, gamma; reads d, x, mean, inverse
  input_gradient,  ///< writes the gradient of x; reads d, x, mean, inverse, both sums[, gamma]
  weight_gradient  ///< adds to an accumulator; reads a sum
};

struct group_normalization_call {
  group_normalization_variant variant;
  std::int32_t batch;
  std::int32_t positions;  ///< elements of a channel in a sample
  std::int32_t channels;   ///< the last extent
  std::int32_t groups;
  std::int32_t has_scale;
  std::int32_t has_center;
};

namespace group_normalization_rules {

using variant = group_normalization_variant;

inline constexpr normalization_options usual{.groups = 32};

constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<normalization_options>();
  label words = "GroupNormalization<";
  words << options.groups;
  write_options(words, options, usual, ", ");
  return words << ">";
}

/// -1 stands for a group of every channel, as in Keras.
constexpr std::int32_t groups_of(const normalization_options& options, std::int32_t channels) {
  return options.groups == -1 ? channels : options.groups;
}

constexpr problem shapes(node_draft& draft) {
  const shape input = draft.input(0);
  const std::int32_t channels = input.rank > 0 ? input[input.rank - 1] : 0;
  const std::int32_t groups = groups_of(draft.options<normalization_options>(), channels);
  if (groups < 1) {
    return refuse("at least 1 group, or -1 for a group of every channel", label() << groups);
  }
  if (channels % groups != 0) {
    return refuse("groups that divide the channels",
                  label() << groups << " groups of " << channels << " channels",
                  "the last axis is that of the channels; 32 groups are the default");
  }
  return add_normalized(draft);
}

constexpr group_normalization_call key_of(const emitter& emit, variant which) {
  const auto options = emit.options<normalization_options>();
  const shape& input = emit.input_shape(0);
  const std::int32_t channels = input[input.rank - 1];
  return {.variant = which,
          .batch = emit.batch(),
          .positions = positions_of(input),
          .channels = channels,
          .groups = groups_of(options, channels),
          .has_scale = options.has_scale,
          .has_center = options.has_center};
}

/// One number of each channel of each sample: 0 is its mean, 1 what it was multiplied by, 2 and 3
/// are the gradients of beta and gamma.
constexpr buffer_ref of_channels(const emitter& emit, std::int32_t number) {
  const shape& input = emit.input_shape(0);
  return emit.scratch(number, {input[input.rank - 1]}, storage::rows);
}

/// The axes of a sample, and the channel: groups share nothing with each other.
struct group_axes {
  axis_id sample;
  axis_id group;
  axis_id member;
  axis_id position;
  std::int32_t width;

  constexpr group_axes(call_draft& call, const group_normalization_call& key)
      : sample(call.over(key.batch)),
        group(call.over(key.groups)),
        member(call.all(key.channels / key.groups)),
        position(call.all(key.positions)),
        width(key.channels / key.groups) {}

  constexpr reach channel() const { return window(group, member, width, 1, 0); }
};

constexpr void forward(emitter& emit) {
  const auto options = emit.options<normalization_options>();
  const group_normalization_call key = key_of(emit, variant::forward);
  call_draft call = emit.call(key);
  const group_axes axes(call, key);
  call.scalar(options.epsilon)
      .writes(by_position(emit.output_value(0)), {axes.sample, axes.position, axes.channel()})
      .writes(of_channels(emit, 0), {axes.sample, axes.channel()})
      .writes(of_channels(emit, 1), {axes.sample, axes.channel()})
      .reads(by_position(emit.input_value(0)), {axes.sample, axes.position, axes.channel()});
  for (std::int32_t i = 0; i < options.parameters(); ++i) {
    call.reads(emit.parameter_value(i), {axes.channel()});
  }
}

constexpr void sum_gradients(emitter& emit) {
  const group_normalization_call key = key_of(emit, variant::sums);
  call_draft call = emit.call(key);
  const auto [sample, channel] = call.over(key.batch, key.channels);
  const axis_id position = call.all(key.positions);
  call.writes(of_channels(emit, 2), {sample, channel})
      .writes(of_channels(emit, 3), {sample, channel})
      .reads(by_position(emit.output_gradient(0)), {sample, position, channel})
      .reads(by_position(emit.input_value(0)), {sample, position, channel})
      .reads(of_channels(emit, 0), {sample, channel})
      .reads(of_channels(emit, 1), {sample, channel});
}

/// First the sums, which the weight gradient reads as well.
constexpr void input_gradient(emitter& emit) {
  sum_gradients(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const group_normalization_call key = key_of(emit, variant::input_gradient);
  call_draft call = emit.call(key);
  const group_axes axes(call, key);
  call.writes(by_position(emit.input_gradient(0)), {axes.sample, axes.position, axes.channel()})
      .reads(by_position(emit.output_gradient(0)), {axes.sample, axes.position, axes.channel()})
      .reads(by_position(emit.input_value(0)), {axes.sample, axes.position, axes.channel()});
  for (std::int32_t number = 0; number < 4; ++number) {
    call.reads(of_channels(emit, number), {axes.sample, axes.channel()});
  }
  if (key.has_scale != 0) {
    call.reads(emit.parameter_value(0), {axes.channel()});
  }
}

/// The samples' sums, one after the other.
constexpr void weight_gradient(emitter& emit) {
  const group_normalization_call key = key_of(emit, variant::weight_gradient);
  for (std::int32_t i = 0; i < key.has_scale + key.has_center; ++i) {
    const bool of_gamma = key.has_scale != 0 && i == 0;
    call_draft call = emit.call(key);
    const axis_id channel = call.over(key.channels);
    const axis_id sample = call.all(key.batch);
    call.updates(emit.accumulator(i), {channel})
        .reads(of_channels(emit, of_gamma ? 3 : 2), {sample, channel});
  }
}

}  // namespace group_normalization_rules

inline constexpr family group_normalization_family{
    .name = "GroupNormalization",
    .describe = group_normalization_rules::describe,
    .shapes = group_normalization_rules::shapes,
    .forward = group_normalization_rules::forward,
    .input_gradient = group_normalization_rules::input_gradient,
    .weight_gradient = group_normalization_rules::weight_gradient,
    .reads = {storage::positions},
    .writes = {storage::positions}};

template <typename... Options>
struct group_normalization_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr problem fault = find_normalization_fault(given, normalization_keys);

  static constexpr element with_groups(const whole_number& groups) {
    if (!is_null(groups.fault)) {
      return unfit_layer("GroupNormalization<groups>", *groups.fault);
    }
    normalization_options options = read_normalization(given, group_normalization_rules::usual);
    options.groups = groups.value;
    return {.kind = element_kind::layer,
            .rule = &group_normalization_family,
            .options = attributes::of(options),
            .starts = normalization_starts<Options...>,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta, where mean and variance (that of the
/// population) are those of a group of neighbouring channels, the last axis, over all other axes of
/// a sample. -1 stands for a group of every channel. Options in any order, with Keras's defaults:
/// 32 groups, `epsilon<...>` (0.001), `use_scale<...>` (true), `use_center<...>` (true),
/// `gamma_init<...>` (ones), `beta_init<...>` (zeros); `gamma_regularizer<...>`,
/// `beta_regularizer<...>`, `gamma_constraint<...>`, `beta_constraint<...>` (none). (Wu and He
/// 2018)
template <auto Groups = 32, typename... Options>
struct GroupNormalization {
  static constexpr element description =
      group_normalization_reading<Options...>::with_groups(read_whole(Groups));
};

/// `GroupNormalization(8)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
GroupNormalization(Arguments...) -> GroupNormalization<>;

}  // namespace ipu_dsl
