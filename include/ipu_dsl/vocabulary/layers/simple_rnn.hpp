// SPDX-License-Identifier: MIT
// SimpleRNN: a state that each step of a sequence makes of the one before.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

inline constexpr option_key return_sequences_key{"return_sequences"};
inline constexpr option_key recurrent_init_key{"recurrent_init"};

/// Whether all states are the output, (steps, units), or the last one alone.
template <auto Value>
struct return_sequences {
  static constexpr option as_option = bool_option(&return_sequences_key, Value);
};

/// How the weights start that lead from a state to the next.
template <typename Initializer>
struct recurrent_init {
  static constexpr option as_option = start_option<Initializer>(&recurrent_init_key);
};

struct simple_rnn_options {
  std::int32_t units = 0;
  activation_kind activation = activation_kind::tanh;
  float alpha = 0;
  std::int32_t has_bias = 1;
  std::int32_t returns_sequences = 0;
  initializer kernel_start;
  initializer recurrent_start;
  initializer bias_start;
};

enum class simple_rnn_variant : std::int32_t {
  step,           ///< updates the states by a step, reads states, recurrent kernel
  last,           ///< writes the last state, reads the states
  all_gradients,  ///< writes the gradients of all states, reads those of the output
  last_gradient,  ///< the same of the last state, zeros before it
  gradient_step   ///< updates the gradients by a step, reads gradients, transposed kernel, states
};

struct simple_rnn_call {
  simple_rnn_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  activation_kind activation;
};

namespace simple_rnn_rules {

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<simple_rnn_options>();
  label words = "SimpleRNN<";
  words << options.units;
  if (options.activation != activation_kind::tanh) {
    words << ", " << name_of(options.activation);
  }
  if (options.returns_sequences != 0) {
    words << ", return_sequences<true>";
  }
  words << ">";
  return words;
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<simple_rnn_options>();
  const shape input = draft.input(0);
  if (options.units <= 0) {
    return refuse("at least 1 unit", label() << options.units);
  }
  if (input.rank != 2) {
    return refuse("a sequence (steps, features)", ipu_dsl::describe(input));
  }
  if (!gradient_from_output(options.activation)) {
    return refuse("an activation whose gradient follows from its output",
                  name_of(options.activation), "a state is made of the one before");
  }
  draft.parameter("kernel", {input[1], options.units}, options.kernel_start, storage::panels);
  draft.parameter("recurrent_kernel", {options.units, options.units}, options.recurrent_start,
                  storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.units}, options.bias_start, storage::panel_bias);
  }
  if (options.returns_sequences != 0) {
    draft.output({input[0], options.units});
  } else {
    draft.output({options.units});
  }
  return {};
}

constexpr simple_rnn_call key_of(const emitter& emit, simple_rnn_variant variant) {
  const auto options = emit.options<simple_rnn_options>();
  return {.variant = variant,
          .batch = emit.batch(),
          .steps = emit.input_shape(0)[0],
          .units = options.units,
          .activation = options.activation};
}

/// A product over all steps is a convolution along them with a kernel of one tap, which looks
/// `back` steps back.
constexpr conv2d_call product_over_steps(const emitter& emit, conv2d_variant variant,
                                         std::int32_t inputs, std::int32_t back, bool has_bias) {
  const std::int32_t steps = emit.input_shape(0)[0];
  return {.variant = variant,
          .batch = emit.batch(),
          .rows = 1,
          .columns = steps,
          .channels = inputs,
          .filters = emit.options<simple_rnn_options>().units,
          .kernel_rows = 1,
          .kernel_columns = 1,
          .stride_rows = 1,
          .stride_columns = 1,
          .padding_rows = 0,
          .padding_columns = back,
          .output_rows = 1,
          .output_columns = steps,
          .activation = activation_kind::linear,
          .has_bias = has_bias ? 1 : 0,
          .input_in_one_row = 0};
}

/// All states, first the inputs' part of them; they are kept for the gradients.
constexpr buffer_ref states(const emitter& emit) {
  const auto options = emit.options<simple_rnn_options>();
  if (options.returns_sequences != 0) {
    return emit.output_value(0);
  }
  return emit.scratch(0, {emit.input_shape(0)[0], options.units}, storage::positions);
}

/// Of all states, before the activation.
constexpr buffer_ref state_gradients(const emitter& emit) {
  const std::int32_t units = emit.options<simple_rnn_options>().units;
  return emit.scratch(1, {emit.input_shape(0)[0], units}, storage::positions);
}

/// W x + b for all steps at once.
constexpr void add_inputs(emitter& emit) {
  const auto options = emit.options<simple_rnn_options>();
  const shape& input = emit.input_shape(0);
  const bool has_bias = options.has_bias != 0;
  call_draft call = emit.call_of(
      conv2d_family, product_over_steps(emit, conv2d_variant::forward, input[1], 0, has_bias));
  const axis_id sample = call.over(emit.batch());
  const auto [step, unit] = call.over(input[0], options.units);
  const axis_id feature = call.all(input[1]);
  call.writes(states(emit), {sample, step, unit})
      .reads(emit.input_value(0), {sample, step, feature})
      .reads(emit.parameter_value(0), {feature, unit});
  if (has_bias) {
    call.reads(emit.parameter_value(2), {unit});
  }
}

/// Each step reads what the one before has written.
constexpr void walk(emitter& emit) {
  const simple_rnn_call key = key_of(emit, simple_rnn_variant::step);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const auto [sample, unit] = call.over(key.batch, key.units);
  const axis_id before = call.all(key.units);
  call.scalar(emit.options<simple_rnn_options>().alpha)
      .updates(states(emit), {sample, step, unit})
      .reads(states(emit), {sample, shifted(step, -1), before})
      .reads(emit.parameter_value(1), {before, unit});
}

constexpr reach last_step(std::int32_t steps) {
  reach made;
  made.offset = steps - 1;
  return made;
}

constexpr void forward(emitter& emit) {
  add_inputs(emit);
  walk(emit);
  if (emit.options<simple_rnn_options>().returns_sequences == 0) {
    const simple_rnn_call key = key_of(emit, simple_rnn_variant::last);
    call_draft call = emit.call(key);
    const auto [sample, unit] = call.over(key.batch, key.units);
    call.writes(emit.output_value(0), {sample, unit})
        .reads(states(emit), {sample, last_step(key.steps), unit});
  }
}

/// The gradients of the states as far as the output has one.
constexpr void start_gradients(emitter& emit) {
  const bool all = emit.options<simple_rnn_options>().returns_sequences != 0;
  const simple_rnn_call key =
      key_of(emit, all ? simple_rnn_variant::all_gradients : simple_rnn_variant::last_gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [step, unit] = call.over(key.steps, key.units);
  call.writes(state_gradients(emit), {sample, step, unit});
  if (all) {
    call.reads(emit.output_gradient(0), {sample, step, unit});
  } else {
    call.reads(emit.output_gradient(0), {sample, unit});
  }
}

/// The weights [inputs, units] of a parameter as panels of [units, inputs].
constexpr buffer_ref transposed(emitter& emit, std::int32_t parameter, std::int32_t inputs) {
  const std::int32_t units = emit.options<simple_rnn_options>().units;
  buffer_ref made = emit.scratch(2 + parameter, {units, inputs}, storage::panels);
  made.by_sample = false;
  call_draft call = emit.call_of(
      conv2d_family, product_over_steps(emit, conv2d_variant::transposed_kernel, inputs, 0, false));
  const auto [input, unit] = call.over(inputs, units);
  call.writes(made, {unit, input}).reads(emit.parameter_value(parameter), {input, unit});
  return made;
}

/// Backpropagation through time: each step reads what the one behind it has written.
constexpr void walk_back(emitter& emit) {
  const simple_rnn_call key = key_of(emit, simple_rnn_variant::gradient_step);
  const buffer_ref weights = transposed(emit, 1, key.units);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const auto [sample, unit] = call.over(key.batch, key.units);
  const axis_id behind = call.all(key.units);
  call.scalar(emit.options<simple_rnn_options>().alpha)
      .updates(state_gradients(emit), {sample, counted_back(step, key.steps), unit})
      .reads(state_gradients(emit), {sample, counted_back(step, key.steps, 1), behind})
      .reads(weights, {behind, unit})
      .reads(states(emit), {sample, counted_back(step, key.steps), unit});
}

constexpr void input_gradient(emitter& emit) {
  start_gradients(emit);
  walk_back(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const shape& input = emit.input_shape(0);
  const buffer_ref weights = transposed(emit, 0, input[1]);
  call_draft call = emit.call_of(
      conv2d_family, product_over_steps(emit, conv2d_variant::input_gradient, input[1], 0, false));
  const axis_id sample = call.over(emit.batch());
  const auto [step, feature] = call.over(input[0], input[1]);
  const axis_id unit = call.all(emit.options<simple_rnn_options>().units);
  call.writes(emit.input_gradient(0), {sample, step, feature})
      .reads(state_gradients(emit), {sample, step, unit})
      .reads(weights, {unit, feature});
}

/// The gradients of the inputs' kernel and of the bias.
constexpr void kernel_gradient(emitter& emit) {
  const auto options = emit.options<simple_rnn_options>();
  const shape& input = emit.input_shape(0);
  const bool has_bias = options.has_bias != 0;
  const buffer_ref d = state_gradients(emit);
  const family* const ending = emit.fused_update();
  call_draft call = emit.call_of(
      conv2d_family,
      product_over_steps(emit, conv2d_variant::weight_gradient, input[1], 0, has_bias));
  call.ends_with(ending);
  const auto [feature, unit] = call.over(input[1], options.units);
  const axis_id sample = call.all(emit.batch());
  const axis_id step = call.all(input[0]);
  call.updates(emit.accumulator(0), {feature, unit});
  axis_id unit_of_bias;
  axis_id sample_of_bias;
  axis_id step_of_bias;
  if (has_bias) {
    call.beside();
    unit_of_bias = call.over(options.units);
    sample_of_bias = call.all(emit.batch());
    step_of_bias = call.all(input[0]);
    call.updates(emit.accumulator(2), {unit_of_bias});
  }
  update_parameter(emit, call, ending, 0, {feature, unit});
  if (has_bias) {
    update_parameter(emit, call, ending, 2, {unit_of_bias});
  }
  call.reads(emit.input_value(0), {sample, step, feature}).reads(d, {sample, step, unit});
  if (has_bias) {
    call.reads(d, {sample_of_bias, step_of_bias, unit_of_bias});
  }
}

/// That of the recurrent kernel, from the states a step before the gradients.
constexpr void recurrent_kernel_gradient(emitter& emit) {
  const std::int32_t units = emit.options<simple_rnn_options>().units;
  const family* const ending = emit.fused_update();
  call_draft call = emit.call_of(
      conv2d_family, product_over_steps(emit, conv2d_variant::weight_gradient, units, 1, false));
  call.ends_with(ending);
  const auto [before, unit] = call.over(units, units);
  const axis_id sample = call.all(emit.batch());
  // Every step but the last with the one behind it; of a single step nothing is multiplied.
  const std::int32_t steps = emit.input_shape(0)[0];
  const std::int32_t behind = steps > 1 ? 1 : 0;
  const axis_id step = call.all(steps - behind);
  call.updates(emit.accumulator(1), {before, unit});
  update_parameter(emit, call, ending, 1, {before, unit});
  call.reads(states(emit), {sample, step, before})
      .reads(state_gradients(emit), {sample, shifted(step, behind), unit});
}

constexpr void weight_gradient(emitter& emit) {
  kernel_gradient(emit);
  recurrent_kernel_gradient(emit);
}

}  // namespace simple_rnn_rules

inline constexpr family simple_rnn_family{.name = "SimpleRNN",
                                          .describe = simple_rnn_rules::describe,
                                          .shapes = simple_rnn_rules::shapes,
                                          .forward = simple_rnn_rules::forward,
                                          .input_gradient = simple_rnn_rules::input_gradient,
                                          .weight_gradient = simple_rnn_rules::weight_gradient,
                                          .reads = {storage::positions},
                                          .writes = {storage::positions},
                                          .updates_with_gradient = true};

/// What the options of a SimpleRNN say, read once for all layers with the same ones.
template <typename... Options>
struct simple_rnn_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {
      &activation_key, &alpha_key,          &use_bias_key,        &init_key,
      &bias_init_key,  &recurrent_init_key, &return_sequences_key};
  static constexpr problem fault = find_weights_fault(given, accepted, activation_kind::tanh);
  static constexpr auto kind = static_cast<activation_kind>(
      given.integer(activation_key, static_cast<std::int32_t>(activation_kind::tanh)));

  static constexpr simple_rnn_options options{
      .activation = kind,
      .alpha = given.number(alpha_key, default_alpha(kind)),
      .has_bias = given.integer(use_bias_key, 1),
      .returns_sequences = given.integer(return_sequences_key, 0),
      .kernel_start = start_of(given, init_key, initializer_kind::glorot_uniform),
      .recurrent_start = start_of(given, recurrent_init_key, initializer_kind::glorot_uniform),
      .bias_start = start_of(given, bias_init_key, initializer_kind::zeros)};

  static constexpr element with_units(const whole_number& units) {
    if (units.fault != nullptr) {
      return unfit_layer("SimpleRNN<...>", *units.fault);
    }
    simple_rnn_options chosen = options;
    chosen.units = units.value;
    return {.kind = element_kind::layer,
            .rule = &simple_rnn_family,
            .options = attributes::of(chosen),
            .fault = &fault};
  }
};

/// Of a sequence (steps, features) the states h(t) = activation(x(t) kernel + h(t - 1)
/// recurrent_kernel + bias), h(-1) being zero: kernel [features, units], recurrent_kernel [units,
/// units], bias [units]. Options in any order, with Keras's defaults: an activation (tanh),
/// `alpha<...>` of it, `return_sequences<...>` (false: the last state alone), `use_bias<...>`
/// (true), `init<...>` (glorot_uniform), `bias_init<...>` (zeros); other than in Keras
/// `recurrent_init<...>` is glorot_uniform as well.
template <auto Units = no_number{}, typename... Options>
struct SimpleRNN {
  static constexpr element description = simple_rnn_reading<Options...>::with_units(whole(Units));
};

/// `SimpleRNN(10)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
SimpleRNN(Arguments...) -> SimpleRNN<>;

}  // namespace ipu_dsl
