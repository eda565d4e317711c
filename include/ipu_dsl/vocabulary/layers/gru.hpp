// SPDX-License-Identifier: MIT
// GRU: a state that gates keep, replace and reset (Cho et al. 2014).
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/recurrence.hpp>

namespace ipu_dsl {

inline constexpr option_key reset_after_key{"reset_after"};

/// Whether the reset gate applies to what the recurrent kernel made of the state, as in Keras 2 and
/// cuDNN, or to the state before it.
template <auto Value>
struct reset_after {
  static constexpr option as_option = bool_option<Value>(&reset_after_key);
};

enum class gru_variant : std::int32_t {
  /// Updates the gates, writes what states give to them and states of a step; reads recurrent
  /// kernel[, bias][, states].
  step,
  /// Updates the gradients of the states, writes those of the gates, of what states give to them
  /// and
  /// what goes to the state before; reads gates, what states gave, transposed kernel[, states, what
  /// it wrote].
  gradient_step
};

struct gru_call {
  gru_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  activation_kind activation;
  activation_kind recurrent_activation;
  std::int32_t from_last;  ///< the walk begins at the last step
  std::int32_t carries;    ///< a step goes on from what the one before has left
  std::int32_t resets_after;
  std::int32_t has_bias;  ///< of what states give
  std::int32_t is_given;  ///< the first state goes on from one that stands beside the others
};

namespace gru_rules {

inline constexpr std::int32_t gates_of_a_unit = 3;

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
  const std::int32_t columns = gates_of_a_unit * options.units;
  draft.parameter("kernel", {input[1], columns}, draft.start(0), storage::panels);
  draft.parameter("recurrent_kernel", {options.units, columns}, draft.start(1), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {columns}, draft.start(2), storage::panel_bias);
  }
  if (options.has_bias != 0 && options.resets_after != 0) {
    draft.parameter("recurrent_bias", {columns}, draft.start(2), storage::panel_bias);
  }
  add_outputs(draft, options, 1);
  return {};
}

constexpr recurrence walk_of(const emitter& emit) {
  return recurrence(emit, gates_of_a_unit);
}

constexpr gru_call key_of(const emitter& emit, const recurrence& walk, gru_variant variant) {
  return {.variant = variant,
          .batch = emit.batch(),
          .steps = walk.steps,
          .units = walk.options.units,
          .activation = walk.options.activation,
          .recurrent_activation = walk.options.recurrent_activation,
          .from_last = walk.from_last() ? 1 : 0,
          .carries = walk.carries() ? 1 : 0,
          .resets_after = walk.options.resets_after,
          .has_bias = walk.options.has_bias != 0 && walk.options.resets_after != 0 ? 1 : 0,
          .is_given = walk.is_given ? 1 : 0};
}

/// Of all steps, first the inputs' part of them; kept for the gradients.
constexpr buffer_ref gates(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::own_tags, {walk.steps, walk.columns()}, storage::positions);
}

/// Where the reset comes after the product, what the states give to the gates; otherwise what the
/// recurrent kernel multiplies: the states before, then the same that were reset.
constexpr buffer_ref given_by_states(const emitter& emit, const recurrence& walk) {
  const bool after = walk.options.resets_after != 0;
  const shape extents =
      after ? shape{walk.steps, walk.columns()} : shape{2 * walk.steps, walk.options.units};
  return emit.scratch(recurrence::own_tags + 1, extents, storage::positions);
}

constexpr buffer_ref gate_gradients(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::own_tags + 2, {walk.steps, walk.columns()}, storage::positions);
}

/// Of what the recurrent kernel made; of a reset before it first those of the gates, then those of
/// the candidates, with zeros elsewhere.
constexpr buffer_ref recurrent_gradients(const emitter& emit, const recurrence& walk) {
  const std::int32_t steps = walk.options.resets_after != 0 ? walk.steps : 2 * walk.steps;
  return emit.scratch(recurrence::own_tags + 3, {steps, walk.columns()}, storage::positions);
}

/// What of a state's gradient goes to the state before, but through the gates.
constexpr buffer_ref carries(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::own_tags + 4, {walk.steps, walk.options.units},
                      storage::positions);
}

/// Of a pair of sequences, one behind the other, a step of both.
constexpr reach of_both(reach at, axis_id half, std::int32_t steps) {
  at.second = half.number;
  at.dilation = steps;
  return at;
}

/// Units of a reset before the product need the states of all others twice: they are one piece.
constexpr axis_id unit_axis(call_draft& call, const gru_call& key) {
  return key.resets_after != 0 ? call.over(key.units) : call.all(key.units);
}

constexpr void forward(emitter& emit) {
  const recurrence walk = walk_of(emit);
  const gru_call key = key_of(emit, walk, gru_variant::step);
  walk.pack(emit);
  walk.of_inputs().forward(emit, gates(emit, walk), walk.read(emit));
  walk.begin(emit, walk.states(emit), 1);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = unit_axis(call, key);
  const axis_id gate = call.all(gates_of_a_unit);
  const axis_id before = call.all(key.units);
  call.scalar(walk.options.alpha)
      .scalar(default_alpha(key.recurrent_activation))
      .updates(gates(emit, walk), {sample, walk.walked(step), walk.column(unit, gate)});
  if (key.resets_after != 0) {
    call.writes(given_by_states(emit, walk), {sample, walk.walked(step), walk.column(unit, gate)});
  } else {
    const axis_id half = call.all(2);
    call.costs(std::int64_t{key.steps} * key.batch * key.units * walk.columns())
        .writes(given_by_states(emit, walk),
                {sample, of_both(walk.walked(step), half, key.steps), unit});
  }
  call.writes(walk.states(emit), {sample, walk.kept_at(walk.walked(step)), unit})
      .reads(emit.parameter_value(1), {before, walk.column(unit, gate)});
  if (key.has_bias != 0) {
    call.reads(emit.parameter_value(3), {walk.column(unit, gate)});
  }
  if (walk.reads_before()) {
    call.reads(walk.states(emit), {sample, walk.kept_at(walk.walked(step, -1)), before});
  }
  walk.hold(emit, walk.states(emit));
  walk.hand_over(emit);
  walk.carry(emit, walk.states(emit));
}

/// Backpropagation through time: each step reads what the one behind it has written.
constexpr void walk_back(emitter& emit, const recurrence& walk) {
  const gru_call key = key_of(emit, walk, gru_variant::gradient_step);
  const buffer_ref weights = walk.transposed_recurrent_kernel(emit);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = unit_axis(call, key);
  const axis_id gate = call.all(gates_of_a_unit);
  const axis_id behind = call.all(walk.columns());
  const reach here = walk.walked_back(step);
  call.scalar(walk.options.alpha)
      .scalar(default_alpha(key.recurrent_activation))
      .costs(std::int64_t{key.steps} * key.batch * key.units * walk.columns())
      .updates(walk.state_gradients(emit), {sample, here, unit})
      .writes(gate_gradients(emit, walk), {sample, here, walk.column(unit, gate)});
  if (key.resets_after != 0) {
    call.writes(recurrent_gradients(emit, walk), {sample, here, walk.column(unit, gate)})
        .writes(carries(emit, walk), {sample, here, unit})
        .reads(gates(emit, walk), {sample, here, walk.column(unit, gate)})
        .reads(given_by_states(emit, walk), {sample, here, walk.column(unit, gate)})
        .reads(weights, {behind, unit});
    if (walk.reads_before()) {
      call.reads(walk.states(emit), {sample, walk.kept_at(walk.walked_back(step, 1)), unit});
    }
    if (key.steps > 1) {
      call.reads(recurrent_gradients(emit, walk), {sample, walk.walked_back(step, -1), behind});
    }
  } else {
    const axis_id half = call.all(2);
    call.writes(recurrent_gradients(emit, walk),
                {sample, of_both(here, half, key.steps), walk.column(unit, gate)})
        .writes(carries(emit, walk), {sample, here, unit})
        .reads(gates(emit, walk), {sample, here, walk.column(unit, gate)})
        .reads(given_by_states(emit, walk), {sample, here, unit})
        .reads(weights, {behind, unit});
    if (key.steps > 1) {
      call.reads(gate_gradients(emit, walk), {sample, walk.walked_back(step, -1), behind});
    }
  }
  if (key.steps > 1) {
    call.reads(carries(emit, walk), {sample, walk.walked_back(step, -1), unit});
  }
}

constexpr void input_gradient(emitter& emit) {
  const recurrence walk = walk_of(emit);
  walk.start_gradients(emit);
  walk_back(emit, walk);
  walk.input_gradient(emit, gate_gradients(emit, walk));
  const buffer_ref besides = carries(emit, walk);
  const std::int32_t pairs = walk.options.resets_after != 0 ? 1 : 2;
  walk.given_gradient(emit, recurrent_gradients(emit, walk), pairs * walk.steps, &besides);
}

/// What the recurrent kernel multiplied, against the gradients of what it made.
constexpr position_product of_states(const recurrence& walk) {
  position_product made = walk.of_states();
  if (walk.options.resets_after == 0) {
    made.positions = 2 * walk.steps;
    made.back = 0;
    made.more = 0;
  } else if (walk.options.has_bias != 0) {
    made.bias = 3;
  }
  return made;
}

constexpr void weight_gradient(emitter& emit) {
  const recurrence walk = walk_of(emit);
  const bool after = walk.options.resets_after != 0;
  walk.of_inputs().weight_gradient(emit, walk.read(emit), gate_gradients(emit, walk));
  of_states(walk).weight_gradient(emit, after ? walk.states(emit) : given_by_states(emit, walk),
                                  recurrent_gradients(emit, walk));
}

}  // namespace gru_rules

inline constexpr family gru_family{.name = "GRU",
                                   .describe = gru_rules::describe,
                                   .inputs = any_number,
                                   .shapes = gru_rules::shapes,
                                   .forward = gru_rules::forward,
                                   .input_gradient = gru_rules::input_gradient,
                                   .weight_gradient = gru_rules::weight_gradient,
                                   .activation = activation_in<recurrent_options>,
                                   .one_step = carry_states,
                                   .outputs_hint = state_outputs_hint,
                                   .sequence_hint = last_state_hint,
                                   .reads = {storage::positions},
                                   .writes = {storage::positions},
                                   .reads_mask = true,
                                   .updates_with_gradient = true};

/// What the options of a GRU say.
template <typename... Options>
struct gru_reading : recurrent_reading<Options...> {
  using read = recurrent_reading<Options...>;

  static constexpr const option_key* accepted[] = {&activation_key,
                                                   &alpha_key,
                                                   &recurrent_activation_key,
                                                   &reset_after_key,
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
  static constexpr problem fault = find_weights_fault(read::given, accepted, activation_kind::tanh);

  static constexpr element with_units(const whole_number& units) {
    if (!is_null(units.fault)) {
      return unfit_layer("GRU<units>", *units.fault);
    }
    recurrent_options chosen = read::options;
    chosen.units = units.value;
    chosen.resets_after = read::given.integer(reset_after_key, 1);
    return {.kind = element_kind::layer,
            .rule = &gru_family,
            .options = attributes::of(chosen),
            .starts = read::starts,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// Of a sequence (steps, features) the states of a gated recurrent unit:
///   z, r = recurrent_activation(x(t) kernel + bias + h(t - 1) recurrent_kernel + recurrent_bias)
///   g    = activation(x(t) kernel + bias + r (h(t - 1) recurrent_kernel + recurrent_bias))
///   h(t) = z h(t - 1) + (1 - z) g,   h(-1) being zero, or in a functional
/// model the second input,
/// with kernel [features, 3 units], recurrent_kernel [units, 3 units], bias and recurrent_bias [3
/// units], whose columns are z r g, side by side. The two biases are the rows of Keras's one. With
/// `reset_after<false>` g is activation(x(t) kernel + bias + (r h(t - 1)) recurrent_kernel), and
/// there is one bias. Options in any order, with Keras's defaults: an activation (tanh),
/// `alpha<...>` of it, `recurrent_activation<...>` (sigmoid), `reset_after<...>` (true),
/// `return_sequences<...>` (false: the last state alone), `return_state<...>` (false),
/// `go_backwards<...>` (false), `stateful<...>` (false; true is
/// refused), `use_bias<...>` (true), `init<...>` (glorot_uniform),
/// `recurrent_init<...>` (orthogonal), `bias_init<...>` (zeros), regularizers and constraints as
/// SimpleRNN has them.
template <auto Units = no_number{}, typename... Options>
struct GRU {
  static constexpr element description = gru_reading<Options...>::with_units(read_whole(Units));
};

/// `GRU(10)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
GRU(Arguments...) -> GRU<>;

}  // namespace ipu_dsl
