// SPDX-License-Identifier: MIT
// LSTM: a state and a cell, which gates let in, forget and show (Hochreiter and Schmidhuber 1997;
// Gers, Schmidhuber and Cummins 2000).
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/recurrence.hpp>

namespace ipu_dsl {

inline constexpr option_key unit_forget_bias_key{"unit_forget_bias"};

/// Whether the bias of the forget gate starts with ones.
template <auto Value>
struct unit_forget_bias {
  static constexpr option as_option = bool_option<Value>(&unit_forget_bias_key);
};

enum class lstm_variant : std::int32_t {
  /// Updates the gates, writes cells and states of a step, reads recurrent kernel[, states, cells].
  step,
  /// Updates the gradients of the states, writes those of the gates and what goes to the cell
  /// before; reads gates, cells, transposed kernel[, that of the last cell, or where steps are
  /// masked
  /// of all cells as they are handed over][, what it wrote, cells].
  gradient_step
};

struct lstm_call {
  lstm_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  activation_kind activation;
  activation_kind recurrent_activation;
  std::int32_t from_last;  ///< the walk begins at the last step
  std::int32_t carries;    ///< a step goes on from what the one before has left
  std::int32_t hands_over_cell;
  std::int32_t is_given;   ///< the first state and cell go on from those beside the others
  std::int32_t is_masked;  ///< each step may be the last, whose cell is handed over
};

namespace lstm_rules {

inline constexpr std::int32_t gates_of_a_unit = 4;

constexpr label describe(const family& self, const attributes& options) {
  return describe_recurrence(self.name, options.as<recurrent_options>());
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<recurrent_options>();
  const shape input = draft.input(0);
  const problem found = check_recurrence(draft, options, 2);
  if (found.found()) {
    return found;
  }
  const std::int32_t columns = gates_of_a_unit * options.units;
  draft.parameter("kernel", {input[1], columns}, draft.start(0), storage::panels);
  draft.parameter("recurrent_kernel", {options.units, columns}, draft.start(1), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {columns}, draft.start(2), storage::panel_bias);
  }
  add_outputs(draft, options, 2);
  return {};
}

constexpr recurrence walk_of(const emitter& emit) {
  return recurrence(emit, gates_of_a_unit);
}

constexpr lstm_call key_of(const emitter& emit, const recurrence& walk, lstm_variant variant) {
  return {.variant = variant,
          .batch = emit.batch(),
          .steps = walk.steps,
          .units = walk.options.units,
          .activation = walk.options.activation,
          .recurrent_activation = walk.options.recurrent_activation,
          .from_last = walk.from_last() ? 1 : 0,
          .carries = walk.carries() ? 1 : 0,
          .hands_over_cell = walk.options.returns_state,
          .is_given = walk.is_given ? 1 : 0,
          .is_masked = walk.packs() ? 1 : 0};
}

/// Of all steps, first the inputs' part of them; they and the cells are kept for the gradients.
constexpr buffer_ref gates(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::own_tags, {walk.steps, walk.columns()}, storage::positions);
}

constexpr buffer_ref cells(const emitter& emit, const recurrence& walk) {
  return walk.kept(emit, recurrence::own_tags + 1);
}

/// Of what the gates are made of.
constexpr buffer_ref gate_gradients(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::own_tags + 2, {walk.steps, walk.columns()}, storage::positions);
}

/// What of a cell's gradient goes to the cell before.
constexpr buffer_ref carries(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::own_tags + 3, {walk.steps, walk.options.units},
                      storage::positions);
}

/// What is given to the gradients of cells besides: that of the cell that is handed over.
constexpr buffer_ref given_cell_gradients(const emitter& emit, const recurrence& walk) {
  return emit.scratch(recurrence::cell_gradients_tag, {walk.steps, walk.options.units},
                      storage::positions);
}

constexpr void forward(emitter& emit) {
  const recurrence walk = walk_of(emit);
  const lstm_call key = key_of(emit, walk, lstm_variant::step);
  walk.pack(emit);
  walk.of_inputs().forward(emit, gates(emit, walk), walk.read(emit));
  walk.begin(emit, walk.states(emit), 1);
  walk.begin(emit, cells(emit, walk), 2);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const auto [sample, unit] = call.over(key.batch, key.units);
  const axis_id gate = call.all(gates_of_a_unit);
  const axis_id before = call.all(key.units);
  call.scalar(walk.options.alpha)
      .scalar(default_alpha(key.recurrent_activation))
      .updates(gates(emit, walk), {sample, walk.walked(step), walk.column(unit, gate)})
      .writes(cells(emit, walk), {sample, walk.kept_at(walk.walked(step)), unit})
      .writes(walk.states(emit), {sample, walk.kept_at(walk.walked(step)), unit})
      .reads(emit.parameter_value(1), {before, walk.column(unit, gate)});
  if (walk.reads_before()) {
    const reach last = walk.kept_at(walk.walked(step, -1));
    call.reads(walk.states(emit), {sample, last, before})
        .reads(cells(emit, walk), {sample, last, unit});
  }
  walk.hold(emit, walk.states(emit));
  walk.hold(emit, cells(emit, walk));
  walk.hand_over(emit);
  if (key.hands_over_cell != 0) {
    walk.take_last(emit, emit.output_value(2), cells(emit, walk));
  }
  walk.carry(emit, walk.states(emit));
  walk.carry(emit, cells(emit, walk));
}

/// Backpropagation through time: each step reads what the one behind it has written.
constexpr void walk_back(emitter& emit, const recurrence& walk) {
  const lstm_call key = key_of(emit, walk, lstm_variant::gradient_step);
  const buffer_ref weights = walk.transposed_recurrent_kernel(emit);
  call_draft call = emit.call(key);
  const axis_id step = call.steps(key.steps);
  const auto [sample, unit] = call.over(key.batch, key.units);
  const axis_id gate = call.all(gates_of_a_unit);
  const axis_id behind = call.all(walk.columns());
  call.scalar(walk.options.alpha)
      .scalar(default_alpha(key.recurrent_activation))
      .costs(std::int64_t{key.steps} * key.batch * key.units * walk.columns())
      .updates(walk.state_gradients(emit), {sample, walk.walked_back(step), unit})
      .writes(gate_gradients(emit, walk), {sample, walk.walked_back(step), walk.column(unit, gate)})
      .writes(carries(emit, walk), {sample, walk.walked_back(step), unit})
      .reads(gates(emit, walk), {sample, walk.walked_back(step), walk.column(unit, gate)})
      .reads(cells(emit, walk), {sample, walk.kept_at(walk.walked_back(step)), unit})
      .reads(weights, {behind, unit});
  if (key.hands_over_cell != 0 && walk.packs()) {
    call.reads(given_cell_gradients(emit, walk), {sample, walk.walked_back(step), unit});
  } else if (key.hands_over_cell != 0) {
    call.reads(emit.output_gradient(2), {sample, unit});
  }
  if (key.steps > 1) {
    call.reads(gate_gradients(emit, walk), {sample, walk.walked_back(step, -1), behind})
        .reads(carries(emit, walk), {sample, walk.walked_back(step, -1), unit});
  }
  if (walk.reads_before()) {
    call.reads(cells(emit, walk), {sample, walk.kept_at(walk.walked_back(step, 1)), unit});
  }
}

constexpr void input_gradient(emitter& emit) {
  const recurrence walk = walk_of(emit);
  walk.start_gradients(emit);
  if (walk.packs() && walk.options.returns_state != 0) {
    walk.place_last(emit, given_cell_gradients(emit, walk), emit.output_gradient(2));
  }
  walk_back(emit, walk);
  walk.input_gradient(emit, gate_gradients(emit, walk));
  walk.given_gradient(emit, gate_gradients(emit, walk), walk.steps);
  if (walk.is_given && emit.wants_input_gradient(2)) {
    walk.walked_sequence().take(emit, emit.input_gradient(2), carries(emit, walk),
                                walk.first_place());
    walk.add_to_given(emit, 2);
  }
}

constexpr void weight_gradient(emitter& emit) {
  const recurrence walk = walk_of(emit);
  walk.of_inputs().weight_gradient(emit, walk.read(emit), gate_gradients(emit, walk));
  walk.of_states().weight_gradient(emit, walk.states(emit), gate_gradients(emit, walk));
}

}  // namespace lstm_rules

inline constexpr family lstm_family{.name = "LSTM",
                                    .describe = lstm_rules::describe,
                                    .inputs = any_number,
                                    .shapes = lstm_rules::shapes,
                                    .forward = lstm_rules::forward,
                                    .input_gradient = lstm_rules::input_gradient,
                                    .weight_gradient = lstm_rules::weight_gradient,
                                    .activation = activation_in<recurrent_options>,
                                    .one_step = carry_states,
                                    .outputs_hint = cell_outputs_hint,
                                    .sequence_hint = last_state_hint,
                                    .reads = {storage::positions},
                                    .writes = {storage::positions},
                                    .reads_mask = true,
                                    .updates_with_gradient = true};

/// What the options of an LSTM say.
template <typename... Options>
struct lstm_reading : recurrent_reading<Options...> {
  using read = recurrent_reading<Options...>;

  static constexpr const option_key* accepted[] = {&activation_key,
                                                   &alpha_key,
                                                   &recurrent_activation_key,
                                                   &use_bias_key,
                                                   &unit_forget_bias_key,
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

  static constexpr problem find_fault() {
    const problem found = find_weights_fault(read::given, accepted, activation_kind::tanh);
    if (!found.found() && read::given.given(unit_forget_bias_key) && read::options.has_bias == 0) {
      return refuse("a bias beside unit_forget_bias<...>", "use_bias<false>",
                    "take one of them out");
    }
    return found;
  }

  static constexpr problem fault = find_fault();

  /// Of the forget gate the bias starts with ones, unless told otherwise.
  static constexpr initializer bias_start() {
    initializer made = read::starts[2];
    made.ones_in_second_quarter = read::given.integer(unit_forget_bias_key, 1) != 0;
    return made;
  }

  static constexpr initializer starts[] = {read::starts[0], read::starts[1], bias_start()};

  static constexpr element with_units(const whole_number& units) {
    if (!is_null(units.fault)) {
      return unfit_layer("LSTM<units>", *units.fault);
    }
    recurrent_options chosen = read::options;
    chosen.units = units.value;
    return {.kind = element_kind::layer,
            .rule = &lstm_family,
            .options = attributes::of(chosen),
            .starts = starts,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// Of a sequence (steps, features) the states of a long short-term memory:
///   i, f, o = recurrent_activation(x(t) kernel + h(t - 1) recurrent_kernel + bias)
///   g       = activation(the same)
///   c(t)    = f c(t - 1) + i g,   h(t) = o activation(c(t)),   h(-1) and c(-1) being zero,
/// or in a functional model the second input and the third,
/// with kernel [features, 4 units], recurrent_kernel [units, 4 units], bias [4 units], whose
/// columns are i f g o, side by side. Options in any order, with Keras's defaults: an activation
/// (tanh), `alpha<...>` of it, `recurrent_activation<...>` (sigmoid), `return_sequences<...>`
/// (false: the last state alone), `return_state<...>` (false), `go_backwards<...>` (false),
/// `stateful<...>` (false; true is refused), `use_bias<...>` (true), `unit_forget_bias<...>`
/// (true), `init<...>` (glorot_uniform), `recurrent_init<...>` (orthogonal), `bias_init<...>`
/// (zeros), regularizers and constraints as SimpleRNN has them.
template <auto Units = no_number{}, typename... Options>
struct LSTM {
  static constexpr element description = lstm_reading<Options...>::with_units(read_whole(Units));
};

/// `LSTM(10)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
LSTM(Arguments...) -> LSTM<>;

}  // namespace ipu_dsl
