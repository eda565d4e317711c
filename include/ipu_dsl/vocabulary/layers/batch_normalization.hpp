// SPDX-License-Identifier: MIT
// BatchNormalization: every channel normalised by its mean and variance.
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/normalization_options.hpp>

namespace ipu_dsl {

inline constexpr option_key running_momentum_key{"running_momentum"};

/// How much of the running statistics a micro-batch leaves: `running_momentum<0.9>`.
template <auto Value>
struct running_momentum {
  static constexpr option as_option = real_option(&running_momentum_key, Value);
};

struct batch_normalization_options {
  float momentum = 0.99F;
  float epsilon = 1e-3F;
  std::int32_t has_scale = 1;
  std::int32_t has_center = 1;
};

enum class batch_normalization_variant : std::int32_t {
  block_moments,    ///< writes the moments of blocks of samples; reads x
  moments,          ///< writes mean, variance; reads the moments of blocks
  normalize,        ///< writes y; reads x, mean, variance[, gamma][, beta]
  block_sums,       ///< writes the sums of blocks of samples; reads d, x, mean
  sums,             ///< writes the batch's gradients of beta and gamma; reads those sums, variance
  input_gradient,   ///< writes the gradient of x; reads d, x, mean, variance, both sums[, gamma]
  frozen_gradient,  ///< writes the gradient of x by running statistics; reads d, variance[, gamma]
  weight_gradient,  ///< adds to an accumulator; reads a sum
  fold              ///< moves the running mean and variance; reads those of a micro-batch
};

struct batch_normalization_call {
  batch_normalization_variant variant;
  std::int32_t batch;
  std::int32_t positions;  ///< elements of a channel in a sample
  std::int32_t channels;   ///< the last extent
  std::int32_t blocks;     ///< of samples, whose sums are taken apart
  std::int32_t has_scale;
  std::int32_t has_center;
  std::int32_t apart;                                 ///< every position is a row of its own
  activation_kind applies = activation_kind::linear;  ///< to what is normalised
};

namespace batch_normalization_rules {

/// Two numbers in float64.
inline constexpr std::int32_t floats_of_pair = 4;

using variant = batch_normalization_variant;

constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<batch_normalization_options>();
  const batch_normalization_options usual;
  label words = "BatchNormalization<";
  const char* between = "";
  if (options.momentum != usual.momentum) {
    words << "running_momentum<" << options.momentum << ">";
    between = ", ";
  }
  if (options.epsilon != usual.epsilon) {
    words << between << "epsilon<" << options.epsilon << ">";
    between = ", ";
  }
  if (options.has_scale == 0) {
    words << between << "use_scale<false>";
    between = ", ";
  }
  if (options.has_center == 0) {
    words << between << "use_center<false>";
  }
  return words << ">";
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<batch_normalization_options>();
  const shape& input = draft.input(0);
  if (!(options.momentum >= 0.0F && options.momentum < 1.0F)) {
    return refuse("a running_momentum of at least 0 and below 1", label() << options.momentum);
  }
  if (!(options.epsilon > 0.0F)) {
    return refuse("an epsilon above 0", label() << options.epsilon);
  }
  if (input.rank == 0) {
    return refuse("samples of at least 1 axis", ipu_dsl::describe(input),
                  "the last axis is that of the channels");
  }
  const shape channels{input[input.rank - 1]};
  if (options.has_scale != 0) {
    draft.parameter("gamma", channels, draft.start(0));
  }
  if (options.has_center != 0) {
    draft.parameter("beta", channels, draft.start(1));
  }
  draft.state("moving_mean", channels, {initializer_kind::zeros});
  draft.non_negative_state("moving_variance", channels, {initializer_kind::ones});
  draft.output(input);
  return {};
}

/// The most blocks of samples of a batch whose sums are taken apart. Their number is the same for
/// any number of workers, who share the blocks: so are the bits.
inline constexpr std::int32_t most_sample_blocks = 8;

/// Into how many blocks a batch is cut: all have as many samples.
constexpr std::int32_t sample_blocks(std::int32_t batch) {
  std::int32_t blocks = most_sample_blocks;
  while (blocks > 1 && batch % blocks != 0) {
    --blocks;
  }
  return blocks;
}

constexpr batch_normalization_call key_of(const emitter& emit, variant which) {
  const auto options = emit.options<batch_normalization_options>();
  const shape& input = emit.input_shape(0);
  const std::int32_t channels = input[input.rank - 1];
  return {.variant = which,
          .batch = emit.batch(),
          .positions = static_cast<std::int32_t>(input.elements()) / channels,
          .channels = channels,
          .blocks = sample_blocks(emit.batch()),
          .has_scale = options.has_scale,
          .has_center = options.has_center,
          .apart = emit.input_value(0).lies == storage::positions ? 1 : 0};
}

/// Rows of samples, as [positions, channels].
constexpr buffer_ref by_channel(const buffer_ref& rows, const batch_normalization_call& key) {
  return rows.as({key.positions, key.channels});
}

/// Whether it normalises by the statistics of the micro-batch, and not by the running ones.
constexpr bool takes_moments(const emitter& emit) {
  return emit.program() == program_kind::train && !emit.frozen();
}

/// Number 0 is the mean, 1 the variance.
constexpr buffer_ref statistic(const emitter& emit, std::int32_t number) {
  const auto options = emit.options<batch_normalization_options>();
  const std::int32_t state = options.has_scale + options.has_center + number;
  return takes_moments(emit) ? emit.state_contribution(state) : emit.parameter_value(state);
}

/// What the micro-batch's gradients of beta (0) and gamma (1) are summed in.
constexpr buffer_ref sum_of_batch(const emitter& emit, std::int32_t number,
                                  const batch_normalization_call& key) {
  return emit.scratch_of_batch(number, {key.channels});
}

/// A pair of numbers in float64 for each channel of each block of samples.
constexpr buffer_ref pairs_of_blocks(const emitter& emit, const batch_normalization_call& key) {
  return emit.scratch_of_batch(2, {key.blocks, key.channels, floats_of_pair});
}

/// The axes along which blocks of samples are summed, and what that costs.
struct block_axes {
  axis_id block;
  axis_id channel;
  axis_id number;  ///< of a pair, which is made in one piece
  axis_id sample;  ///< of the block
  axis_id position;
  std::int32_t samples;  ///< of a block

  constexpr block_axes(call_draft& call, const batch_normalization_call& key)
      : block(call.over(key.blocks)),
        channel(call.over(key.channels)),
        number(call.all(floats_of_pair)),
        sample(call.all(key.batch / key.blocks)),
        position(call.all(key.positions)),
        samples(key.batch / key.blocks) {
    call.costs(std::int64_t{key.batch} * key.positions * key.channels);
  }

  /// Where in a batch a sample of the block stands.
  constexpr reach of_batch() const { return window(block, sample, samples, 1, 0); }
};

/// The axes along which the pairs of all blocks become those of the batch.
struct pair_axes {
  axis_id channel;
  axis_id block;
  axis_id number;

  constexpr pair_axes(call_draft& call, const batch_normalization_call& key)
      : channel(call.over(key.channels)),
        block(call.all(key.blocks)),
        number(call.all(floats_of_pair)) {}
};

constexpr void find_moments(emitter& emit) {
  const batch_normalization_call key = key_of(emit, variant::block_moments);
  call_draft call = emit.call(key);
  const block_axes along(call, key);
  call.writes(pairs_of_blocks(emit, key), {along.block, along.channel, along.number})
      .reads(by_channel(emit.input_value(0), key),
             {along.of_batch(), along.position, along.channel});
  const batch_normalization_call told = key_of(emit, variant::moments);
  call_draft of_batch = emit.call(told);
  const pair_axes of(of_batch, told);
  of_batch.writes(statistic(emit, 0), {of.channel})
      .writes(statistic(emit, 1), {of.channel})
      .reads(pairs_of_blocks(emit, told), {of.block, of.channel, of.number});
}

constexpr void forward(emitter& emit) {
  if (takes_moments(emit)) {
    find_moments(emit);
  }
  batch_normalization_call key = key_of(emit, variant::normalize);
  key.applies = emit.applies(0);
  call_draft call = emit.call(key);
  const auto [sample, position, channel] = call.over(key.batch, key.positions, key.channels);
  call.scalar(emit.options<batch_normalization_options>().epsilon)
      .writes(by_channel(emit.output_value(0), key), {sample, position, channel})
      .reads_in_place(by_channel(emit.input_value(0), key), {sample, position, channel})
      .reads(statistic(emit, 0), {channel})
      .reads(statistic(emit, 1), {channel});
  for (std::int32_t i = 0; i < key.has_scale + key.has_center; ++i) {
    call.reads(emit.parameter_value(i), {channel});
  }
}

constexpr void sum_gradients_of_batch(emitter& emit) {
  const batch_normalization_call key = key_of(emit, variant::block_sums);
  call_draft call = emit.call(key);
  const block_axes along(call, key);
  call.writes(pairs_of_blocks(emit, key), {along.block, along.channel, along.number})
      .reads(by_channel(emit.output_gradient(0), key),
             {along.of_batch(), along.position, along.channel})
      .reads(by_channel(emit.input_value(0), key),
             {along.of_batch(), along.position, along.channel})
      .reads(statistic(emit, 0), {along.channel});
  const batch_normalization_call told = key_of(emit, variant::sums);
  call_draft of_batch = emit.call(told);
  const pair_axes of(of_batch, told);
  of_batch.scalar(emit.options<batch_normalization_options>().epsilon)
      .writes(sum_of_batch(emit, 0, told), {of.channel})
      .writes(sum_of_batch(emit, 1, told), {of.channel})
      .reads(pairs_of_blocks(emit, told), {of.block, of.channel, of.number})
      .reads(statistic(emit, 1), {of.channel});
}

/// Running statistics do not depend on x.
constexpr void frozen_gradient(emitter& emit) {
  const batch_normalization_call key = key_of(emit, variant::frozen_gradient);
  call_draft call = emit.call(key);
  const auto [sample, position, channel] = call.over(key.batch, key.positions, key.channels);
  call.scalar(emit.options<batch_normalization_options>().epsilon)
      .writes(by_channel(emit.input_gradient(0), key), {sample, position, channel})
      .reads_in_place(by_channel(emit.output_gradient(0), key), {sample, position, channel})
      .reads(statistic(emit, 1), {channel});
  if (key.has_scale != 0) {
    call.reads(emit.parameter_value(0), {channel});
  }
}

/// First the sums, which the weight gradient reads as well.
constexpr void input_gradient(emitter& emit) {
  if (emit.frozen()) {
    frozen_gradient(emit);
    return;
  }
  sum_gradients_of_batch(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const batch_normalization_call key = key_of(emit, variant::input_gradient);
  call_draft call = emit.call(key);
  const auto [sample, position, channel] = call.over(key.batch, key.positions, key.channels);
  call.scalar(emit.options<batch_normalization_options>().epsilon)
      .writes(by_channel(emit.input_gradient(0), key), {sample, position, channel})
      .reads_in_place(by_channel(emit.output_gradient(0), key), {sample, position, channel})
      .reads(by_channel(emit.input_value(0), key), {sample, position, channel})
      .reads(statistic(emit, 0), {channel})
      .reads(statistic(emit, 1), {channel})
      .reads(sum_of_batch(emit, 0, key), {channel})
      .reads(sum_of_batch(emit, 1, key), {channel});
  if (key.has_scale != 0) {
    call.reads(emit.parameter_value(0), {channel});
  }
}

constexpr void weight_gradient(emitter& emit) {
  const batch_normalization_call key = key_of(emit, variant::weight_gradient);
  for (std::int32_t i = 0; i < key.has_scale + key.has_center; ++i) {
    const bool of_gamma = key.has_scale != 0 && i == 0;
    call_draft call = emit.call(key);
    const axis_id channel = call.over(key.channels);
    call.updates(emit.accumulator(i), {channel})
        .reads(sum_of_batch(emit, of_gamma ? 1 : 0, key), {channel});
  }
}

constexpr void fold(emitter& emit) {
  if (emit.frozen()) {
    return;
  }
  const batch_normalization_call key = key_of(emit, variant::fold);
  const std::int32_t mean = key.has_scale + key.has_center;
  call_draft call = emit.call(key);
  const axis_id channel = call.over(key.channels);
  call.scalar(1.0F - emit.options<batch_normalization_options>().momentum)
      .updates(emit.parameter_value(mean), {channel})
      .updates(emit.parameter_value(mean + 1), {channel})
      .reads(statistic(emit, 0), {channel})
      .reads(statistic(emit, 1), {channel});
}

}  // namespace batch_normalization_rules

inline constexpr family batch_normalization_family{
    .name = "BatchNormalization",
    .describe = batch_normalization_rules::describe,
    .shapes = batch_normalization_rules::shapes,
    .forward = batch_normalization_rules::forward,
    .input_gradient = batch_normalization_rules::input_gradient,
    .weight_gradient = batch_normalization_rules::weight_gradient,
    .fold = batch_normalization_rules::fold,
    .applies_activation = true,
    .one_step = each_step_alone,
    .reads = {storage::rows, storage::positions},
    .writes = {storage::rows, storage::positions},
    .passes_mask = true};

/// What the options of a BatchNormalization say.
template <typename... Options>
struct batch_normalization_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {
      &running_momentum_key, &epsilon_key,        &use_scale_key,         &use_center_key,
      &gamma_init_key,       &beta_init_key,      &gamma_regularizer_key, &beta_regularizer_key,
      &gamma_constraint_key, &beta_constraint_key};
  static constexpr problem fault = find_normalization_fault(given, accepted);
  static constexpr batch_normalization_options usual{};
  static constexpr batch_normalization_options options{
      .momentum = given.number(running_momentum_key, usual.momentum),
      .epsilon = given.number(epsilon_key, usual.epsilon),
      .has_scale = given.integer(use_scale_key, 1),
      .has_center = given.integer(use_center_key, 1)};
};

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta for every channel, the last axis of samples
/// of any rank. In training mean and variance (that of the population) are those of the valid
/// samples of the micro-batch, over all other axes; elsewhere, and of a frozen layer in training
/// too, the running ones, which every update moves by each of its micro-batches in turn: m += (m of
/// the micro-batch - m) * (1 - momentum). Options in any order, with Keras's defaults:
/// `running_momentum<...>` (0.99), `epsilon<...>` (0.001), `use_scale<...>` (true),
/// `use_center<...>` (true), `gamma_init<...>` (ones), `beta_init<...>` (zeros);
/// `gamma_regularizer<...>`, `beta_regularizer<...>`, `gamma_constraint<...>`,
/// `beta_constraint<...>` (none). (Ioffe and Szegedy 2015)
template <typename... Options>
struct BatchNormalization {
  static constexpr element description{
      .kind = element_kind::layer,
      .rule = &batch_normalization_family,
      .options = attributes::of(batch_normalization_reading<Options...>::options),
      .starts = normalization_starts<Options...>,
      .fault = &batch_normalization_reading<Options...>::fault,
      .weights = find_weight_rules<Options...>()};
};

}  // namespace ipu_dsl
