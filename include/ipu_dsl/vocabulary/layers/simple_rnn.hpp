// SPDX-License-Identifier: MIT
// SimpleRNN: a state that each step of a sequence makes of the one before.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/recurrence.hpp>

namespace ipu_dsl {

enum class simple_rnn_variant : std::int32_t {
  step,          ///< updates the states by a step, reads states, recurrent kernel
  gradient_step  ///< updates the gradients by a step, reads gradients, transposed kernel, states
};

struct simple_rnn_call {
  simple_rnn_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  activation_kind activation;
  std::int32_t from_last;  ///< the walk begins at the last step
  std::int32_t carries;    ///< a step goes on from what the one before has left
  std::int32_t is_given;   ///< the first state goes on from one that stands beside the others
};

namespace simple_rnn_rules {

constexpr label describe(const family& self, const attributes& options) {
  return describe_recurrence(self.name, options.as<recurrent_options>());
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<recurrent_options>();
  const shape input = draft.input(0);
  const problem found = check_recurrence(draft, options, 1);
  if (found.found()) {
    return found;
  }
  draft.parameter("kernel", {input[1], options.units}, draft.start(0), storage::panels);
  draft.parameter("recurrent_kernel", {options.units, options.units}, draft.start(1),
                  storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.units}, draft.start(2), storage::panel_bias);
  }
  add_outputs(draft, options, 1);
  return {};
}

constexpr recurrence walk_of(const emitter& emit) {
  return recurrence(emit, 1);
}

constexpr simple_rnn_call key_of(const emitter& emit, simple_rnn_variant variant) {
  const recurrence walk = walk_of(emit);
  return {.variant = variant,
          .batch = emit.batch(),
          .steps = walk.carries() ? walk.kept_steps() : walk.steps,
          .units = walk.options.units,
          .activation = walk.options.activation,
          .from_last = walk.from_last() ? 1 : 0,
          .carries = walk.carries() ? 1 : 0,
          .is_given = walk.is_given ? 1 : 0};
}

/// First the inputs' part of all states, then each step reads what the one before has written.
constexpr void forward(emitter& emit) {
  const recurrence walk = walk_of(emit);
  const simple_rnn_call key = key_of(emit, simple_rnn_variant::step);
  walk.pack(emit);
  if (walk.carries()) {
    const buffer_ref sums = emit.scratch(recurrence::own_tags, {1, key.units}, storage::positions);
    walk.of_inputs().forward(emit, sums, walk.read(emit));
    walk.sequence().put(emit, walk.states(emit), sums.as({key.units}), recurrence::carried_place);
  } else if (walk.is_given) {
    const buffer_ref sums =
        emit.scratch(recurrence::own_tags, {walk.steps, key.units}, storage::positions);
    walk.of_inputs().forward(emit, sums, walk.read(emit));
    walk.walked_sequence().put_all(emit, walk.states(emit), sums, walk.first_kept(),
                                   walk.kept_steps());
    walk.begin(emit, walk.states(emit), 1);
  } else {
    walk.of_inputs().forward(emit, walk.states(emit), walk.read(emit));
  }
  call_draft call = emit.call(key);
  const axis_id step = call.steps(walk.steps);
  const auto [sample, unit] = call.over(key.batch, key.units);
  const axis_id before = call.all(key.units);
  call.scalar(walk.options.alpha)
      .updates(walk.states(emit), {sample, walk.kept_at(walk.walked(step)), unit})
      .reads(walk.states(emit), {sample, walk.kept_at(walk.walked(step, -1)), before})
      .reads(emit.parameter_value(1), {before, unit});
  walk.hold(emit, walk.states(emit));
  walk.hand_over(emit);
  walk.carry(emit, walk.states(emit));
}

/// Backpropagation through time: each step reads what the one behind it has written.
constexpr void walk_back(emitter& emit) {
  const recurrence walk = walk_of(emit);
  const simple_rnn_call key = key_of(emit, simple_rnn_variant::gradient_step);
  const buffer_ref weights = walk.transposed_recurrent_kernel(emit);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const auto [sample, unit] = call.over(key.batch, key.units);
  const axis_id behind = call.all(key.units);
  call.scalar(walk.options.alpha)
      .updates(walk.state_gradients(emit), {sample, walk.walked_back(step), unit})
      .reads(walk.state_gradients(emit), {sample, walk.walked_back(step, -1), behind})
      .reads(weights, {behind, unit})
      .reads(walk.states(emit), {sample, walk.kept_at(walk.walked_back(step)), unit});
}

constexpr void input_gradient(emitter& emit) {
  const recurrence walk = walk_of(emit);
  walk.start_gradients(emit);
  walk_back(emit);
  walk.input_gradient(emit, walk.state_gradients(emit));
  walk.given_gradient(emit, walk.state_gradients(emit), walk.steps);
}

constexpr void weight_gradient(emitter& emit) {
  const recurrence walk = walk_of(emit);
  const buffer_ref gradients = walk.state_gradients(emit);
  walk.of_inputs().weight_gradient(emit, walk.read(emit), gradients);
  walk.of_states().weight_gradient(emit, walk.states(emit), gradients);
}

}  // namespace simple_rnn_rules

inline constexpr family simple_rnn_family{.name = "SimpleRNN",
                                          .describe = simple_rnn_rules::describe,
                                          .inputs = any_number,
                                          .shapes = simple_rnn_rules::shapes,
                                          .forward = simple_rnn_rules::forward,
                                          .input_gradient = simple_rnn_rules::input_gradient,
                                          .weight_gradient = simple_rnn_rules::weight_gradient,
                                          .activation = activation_in<recurrent_options>,
                                          .one_step = carry_states,
                                          .outputs_hint = state_outputs_hint,
                                          .sequence_hint = last_state_hint,
                                          .reads = {storage::positions},
                                          .writes = {storage::positions},
                                          .reads_mask = true,
                                          .updates_with_gradient = true};

/// What the options of a SimpleRNN say.
template <typename... Options>
struct simple_rnn_reading : recurrent_reading<Options...> {
  static constexpr const option_key* accepted[] = {&activation_key,
                                                   &alpha_key,
                                                   &use_bias_key,
                                                   &init_key,
                                                   &bias_init_key,
                                                   &recurrent_init_key,
                                                   &return_sequences_key,
                                                   &return_state_key,
                                                   &go_backwards_key,
                                                   &kernel_regularizer_key,
                                                   &recurrent_regularizer_key,
                                                   &bias_regularizer_key,
                                                   &kernel_constraint_key,
                                                   &recurrent_constraint_key,
                                                   &bias_constraint_key,
                                                   &activity_regularizer_key,
                                                   &stateful_key};
  static constexpr problem fault =
      find_weights_fault(options_of<Options...>, accepted, activation_kind::tanh);

  static constexpr element with_units(const whole_number& units) {
    if (!is_null(units.fault)) {
      return unfit_layer("SimpleRNN<units>", *units.fault);
    }
    recurrent_options chosen = recurrent_reading<Options...>::options;
    chosen.units = units.value;
    return {.kind = element_kind::layer,
            .rule = &simple_rnn_family,
            .options = attributes::of(chosen),
            .starts = recurrent_reading<Options...>::starts,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// Of a sequence (steps, features) the states h(t) = activation(x(t) kernel + h(t - 1)
/// recurrent_kernel + bias), h(-1) being zero, or in a functional model a second input: kernel
/// [features, units], recurrent_kernel [units, units], bias [units]. Options in any order, with
/// Keras's defaults: an activation (tanh), `alpha<...>` of it, `return_sequences<...>` (false: the
/// last state alone), `return_state<...>` (false), `go_backwards<...>` (false), `stateful<...>`
/// (false; true is refused), `use_bias<...>` (true), `init<...>` (glorot_uniform),
/// `recurrent_init<...>` (orthogonal), `bias_init<...>` (zeros), `kernel_regularizer<...>`,
/// `recurrent_regularizer<...>`, `bias_regularizer<...>`, `kernel_constraint<...>`,
/// `recurrent_constraint<...>`, `bias_constraint<...>`, `activity_regularizer<...>` (none).
template <auto Units = no_number{}, typename... Options>
struct SimpleRNN {
  static constexpr element description =
      simple_rnn_reading<Options...>::with_units(read_whole(Units));
};

/// `SimpleRNN(10)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
SimpleRNN(Arguments...) -> SimpleRNN<>;

}  // namespace ipu_dsl
