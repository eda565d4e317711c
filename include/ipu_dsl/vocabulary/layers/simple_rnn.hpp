// SPDX-License-Identifier: MIT
// SimpleRNN: a state that each step of a sequence makes of the one before.
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/layers/position_product.hpp>
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
template <typename Initializer, typename... Options>
struct recurrent_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&recurrent_init_key);
};

struct simple_rnn_options {
  std::int32_t units = 0;
  activation_kind activation = activation_kind::tanh;
  float alpha = 0;
  std::int32_t has_bias = 1;
  std::int32_t returns_sequences = 0;
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
  draft.parameter("kernel", {input[1], options.units}, draft.start(0), storage::panels);
  draft.parameter("recurrent_kernel", {options.units, options.units}, draft.start(1),
                  storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.units}, draft.start(2), storage::panel_bias);
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

/// W x + b for all steps at once.
constexpr position_product product_of_inputs(const emitter& emit) {
  const auto options = emit.options<simple_rnn_options>();
  const shape& input = emit.input_shape(0);
  return {.positions = input[0],
          .inputs = input[1],
          .units = options.units,
          .kernel = 0,
          .bias = options.has_bias != 0 ? 2 : -1};
}

/// U h of all steps, of which each reads the one before.
constexpr position_product product_of_states(const emitter& emit) {
  const std::int32_t units = emit.options<simple_rnn_options>().units;
  return {
      .positions = emit.input_shape(0)[0], .inputs = units, .units = units, .kernel = 1, .back = 1};
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
  product_of_inputs(emit).forward(emit, states(emit), emit.input_value(0));
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

/// Backpropagation through time: each step reads what the one behind it has written.
constexpr void walk_back(emitter& emit) {
  const simple_rnn_call key = key_of(emit, simple_rnn_variant::gradient_step);
  const buffer_ref weights = product_of_states(emit).transposed_kernel(emit, 3);
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
  product_of_inputs(emit).input_gradient(emit, emit.input_gradient(0), state_gradients(emit), 2);
}

/// That of the recurrent kernel, from the states a step before the gradients.
constexpr void recurrent_kernel_gradient(emitter& emit) {
  const std::int32_t units = emit.options<simple_rnn_options>().units;
  const family* const ending = emit.fused_update();
  call_draft call = emit.call_of(
      conv2d_family, product_of_states(emit).key(emit, conv2d_variant::weight_gradient));
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
  product_of_inputs(emit).weight_gradient(emit, emit.input_value(0), state_gradients(emit));
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
  static constexpr const option_key* accepted[] = {&activation_key,
                                                   &alpha_key,
                                                   &use_bias_key,
                                                   &init_key,
                                                   &bias_init_key,
                                                   &recurrent_init_key,
                                                   &return_sequences_key,
                                                   &kernel_regularizer_key,
                                                   &recurrent_regularizer_key,
                                                   &bias_regularizer_key,
                                                   &kernel_constraint_key,
                                                   &recurrent_constraint_key,
                                                   &bias_constraint_key,
                                                   &activity_regularizer_key};
  static constexpr problem fault = find_weights_fault(given, accepted, activation_kind::tanh);
  static constexpr auto kind = static_cast<activation_kind>(
      given.integer(activation_key, static_cast<std::int32_t>(activation_kind::tanh)));

  static constexpr simple_rnn_options options{
      .activation = kind,
      .alpha = given.number(alpha_key, default_alpha(kind)),
      .has_bias = given.integer(use_bias_key, 1),
      .returns_sequences = given.integer(return_sequences_key, 0)};

  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start),
                                           start_of(given, recurrent_init_key, orthogonal::start),
                                           start_of(given, bias_init_key, zeros::start)};

  static constexpr element with_units(const whole_number& units) {
    if (units.fault != nullptr) {
      return unfit_layer("SimpleRNN<...>", *units.fault);
    }
    simple_rnn_options chosen = options;
    chosen.units = units.value;
    return {.kind = element_kind::layer,
            .rule = &simple_rnn_family,
            .options = attributes::of(chosen),
            .starts = starts,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// Of a sequence (steps, features) the states h(t) = activation(x(t) kernel + h(t - 1)
/// recurrent_kernel + bias), h(-1) being zero: kernel [features, units], recurrent_kernel [units,
/// units], bias [units]. Options in any order, with Keras's defaults: an activation (tanh),
/// `alpha<...>` of it, `return_sequences<...>` (false: the last state alone), `use_bias<...>`
/// (true), `init<...>` (glorot_uniform), `recurrent_init<...>` (orthogonal), `bias_init<...>`
/// (zeros), `kernel_regularizer<...>`, `recurrent_regularizer<...>`, `bias_regularizer<...>`,
/// `kernel_constraint<...>`, `recurrent_constraint<...>`, `bias_constraint<...>`,
/// `activity_regularizer<...>` (none).
template <auto Units = no_number{}, typename... Options>
struct SimpleRNN {
  static constexpr element description = simple_rnn_reading<Options...>::with_units(whole(Units));
};

/// `SimpleRNN(10)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
SimpleRNN(Arguments...) -> SimpleRNN<>;

}  // namespace ipu_dsl
