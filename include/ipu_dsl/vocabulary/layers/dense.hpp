// SPDX-License-Identifier: MIT
// Dense: activation(input * kernel + bias).
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/vocabulary/layers/position_product.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

struct dense_options {
  std::int32_t units = 0;
  activation_kind activation = activation_kind::linear;
  float alpha = 0;
  std::int32_t has_bias = 1;
};

enum class dense_variant : std::int32_t {
  forward,  ///< writes y, reads x, kernel[, bias]
  /// Writes d and, if it `writes_by_unit`, d by unit; reads gradient and y.
  output_gradient,
  input_gradient,  ///< writes the input's gradient by unit, reads kernel, d by unit
  /// Adds to the accumulators of kernel[, bias], reads x, d. If the last micro-batch ends with an
  /// update, the call also writes, for each parameter, the parameter and what the optimizer keeps
  /// of it.
  weight_gradient
};

struct dense_call {
  dense_variant variant;
  std::int32_t batch;
  std::int32_t inputs;
  std::int32_t units;
  activation_kind activation;
  std::int32_t has_bias;
  std::int32_t gradient_by_unit;  ///< the output's gradient lies in columns
  std::int32_t writes_by_unit;    ///< of an output gradient: in columns as well
};

namespace dense_rules {

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<dense_options>();
  label words = "Dense<";
  words << options.units;
  if (options.activation != activation_kind::linear) {
    words << ", " << name_of(options.activation);
  }
  if (options.has_bias == 0) {
    words << ", use_bias<false>";
  }
  words << ">";
  return words;
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<dense_options>();
  const shape& input = draft.input(0);
  if (options.units <= 0) {
    return refuse("at least 1 unit", label() << options.units);
  }
  if (input.rank < 1) {
    return refuse("a vector, or positions of features", ipu_dsl::describe(input));
  }
  shape output = input;
  std::int32_t& features = output.extents[input.rank - 1];
  draft.parameter("kernel", {features, options.units}, draft.start(0), storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.units}, draft.start(1), storage::panel_bias);
  }
  features = options.units;
  draft.output(output);
  return {};
}

/// Images and sequences are multiplied position by position.
constexpr bool has_positions(const emitter& emit) {
  return emit.input_shape(0).rank > 1;
}

constexpr position_product product_of(const emitter& emit) {
  const auto options = emit.options<dense_options>();
  const shape& input = emit.input_shape(0);
  return {.positions = positions_of(input),
          .inputs = input[input.rank - 1],
          .units = options.units,
          .kernel = 0,
          .bias = options.has_bias != 0 ? 1 : -1,
          .activation = fused_activation(options.activation),
          .alpha = options.alpha};
}

constexpr dense_call key_of(const emitter& emit, dense_variant variant) {
  const auto options = emit.options<dense_options>();
  return {.variant = variant,
          .batch = emit.batch(),
          .inputs = emit.input_shape(0)[0],
          .units = options.units,
          .activation = fused_activation(options.activation),
          .has_bias = options.has_bias,
          .gradient_by_unit = 0,
          .writes_by_unit = 0};
}

/// A softmax looks at the units of a sample in one piece.
constexpr axis_id unit_axis(call_draft& call, const dense_call& key) {
  const bool whole = key.activation == activation_kind::softmax;
  return whole ? call.all(key.units) : call.over(key.units);
}

constexpr void forward(emitter& emit) {
  if (has_positions(emit)) {
    position_product product = product_of(emit);
    product.activation = forward_activation(emit, product.activation);
    product.forward(emit, by_position(emit.output_value(0)), by_position(emit.input_value(0)));
    return;
  }
  dense_call key = key_of(emit, dense_variant::forward);
  key.activation = forward_activation(emit, key.activation);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = unit_axis(call, key);
  const axis_id input = call.all(key.inputs);
  call.scalar(emit.options<dense_options>().alpha)
      .writes(emit.output_value(0), {sample, unit})
      .reads(emit.input_value(0), {sample, input})
      .reads(emit.parameter_value(0), {input, unit});
  if (key.has_bias != 0) {
    call.reads(emit.parameter_value(1), {unit});
  }
}

/// Whether the gradient of a linear layer's output is that of its pre-activation as it lies.
constexpr bool passes_gradient(const emitter& emit, storage lies) {
  const bool linear =
      fused_activation(emit.options<dense_options>().activation) == activation_kind::linear;
  return linear && emit.output_gradient_lies(0) == lies;
}

/// The gradient of the pre-activation, as the weight gradient reads it.
constexpr buffer_ref gradient_rows(const emitter& emit) {
  return passes_gradient(emit, storage::rows)
             ? emit.output_gradient(0)
             : emit.scratch(0, emit.output_shape(0), storage::rows);
}

/// The same as the input gradient reads it.
constexpr buffer_ref gradient_columns(const emitter& emit) {
  return passes_gradient(emit, storage::columns)
             ? emit.output_gradient(0)
             : emit.scratch(1, emit.output_shape(0), storage::columns);
}

/// The same numbers, [rows, columns] of what is read exchanged.
constexpr void transpose(emitter& emit, const transpose_call& key, const buffer_ref& written,
                         const buffer_ref& read) {
  call_draft call = emit.call_of(transpose_family, key);
  const bool by_sample = read.lies == storage::rows;
  const auto [sample, element] =
      call.over(by_sample ? key.rows : key.columns, by_sample ? key.columns : key.rows);
  call.writes(written, {sample, element}).reads(read, {sample, element});
}

/// Masks the output's gradient by the activation, and lays it out for those who read it.
constexpr void mask_gradient(emitter& emit) {
  dense_call key = key_of(emit, dense_variant::output_gradient);
  key.gradient_by_unit = emit.output_gradient_lies(0) == storage::columns ? 1 : 0;
  key.writes_by_unit = emit.wants_input_gradient(0) ? 1 : 0;
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = unit_axis(call, key);
  call.scalar(emit.options<dense_options>().alpha).writes(gradient_rows(emit), {sample, unit});
  if (key.writes_by_unit != 0) {
    call.writes(gradient_columns(emit), {sample, unit});
  }
  call.reads(emit.output_gradient(0), {sample, unit}).reads(emit.output_value(0), {sample, unit});
}

/// Masks and lays out, as far as the gradient does not lie as it is wanted.
constexpr void output_gradient(emitter& emit) {
  const std::int32_t units = emit.options<dense_options>().units;
  if (passes_gradient(emit, storage::rows)) {
    if (emit.wants_input_gradient(0)) {
      transpose(emit, {emit.batch(), units}, gradient_columns(emit), emit.output_gradient(0));
    }
  } else if (passes_gradient(emit, storage::columns)) {
    // The rows are for the weights.
    if (!emit.frozen()) {
      transpose(emit, {units, emit.batch()}, gradient_rows(emit), emit.output_gradient(0));
    }
  } else {
    mask_gradient(emit);
  }
}

/// The same of positions.
constexpr void input_gradient_by_position(emitter& emit) {
  const position_product product = product_of(emit);
  product.mask_gradient(emit, 0);
  if (emit.wants_input_gradient(0)) {
    product.input_gradient(emit, by_position(emit.input_gradient(0)),
                           product.output_gradient(emit, 0), 1);
  }
}

/// First the activation's mask, then the product.
constexpr void input_gradient(emitter& emit) {
  if (has_positions(emit)) {
    input_gradient_by_position(emit);
    return;
  }
  output_gradient(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const bool as_made = emit.input_gradient_lies(0) == storage::columns;
  const buffer_ref made =
      as_made ? emit.input_gradient(0) : emit.scratch(2, emit.input_shape(0), storage::columns);
  dense_call key = key_of(emit, dense_variant::input_gradient);
  key.gradient_by_unit = 1;
  call_draft call = emit.call(key);
  const auto [sample, input] = call.over(key.batch, key.inputs);
  const axis_id unit = call.all(key.units);
  call.writes(made, {sample, input})
      .reads(emit.parameter_value(0), {input, unit})
      .reads(gradient_columns(emit), {sample, unit});
  if (!as_made) {
    transpose(emit, {key.inputs, key.batch}, emit.input_gradient(0), made);
  }
}

/// The gradients of kernel and bias, from the same operands.
constexpr void weight_gradient(emitter& emit) {
  if (has_positions(emit)) {
    const position_product product = product_of(emit);
    product.weight_gradient(emit, by_position(emit.input_value(0)),
                            product.output_gradient(emit, 0));
    return;
  }
  const dense_call key = key_of(emit, dense_variant::weight_gradient);
  const family* const ending = emit.fused_update();
  call_draft call = emit.call(key);
  call.ends_with(ending);
  const auto [input, unit] = call.over(key.inputs, key.units);
  const axis_id sample = call.all(key.batch);
  call.updates(emit.accumulator(0), {input, unit});
  axis_id unit_of_bias;
  axis_id sample_of_bias;
  if (key.has_bias != 0) {
    call.beside();
    unit_of_bias = call.over(key.units);
    sample_of_bias = call.all(key.batch);
    call.updates(emit.accumulator(1), {unit_of_bias});
  }
  update_parameter(emit, call, ending, 0, {input, unit});
  if (key.has_bias != 0) {
    update_parameter(emit, call, ending, 1, {unit_of_bias});
  }
  call.reads(emit.input_value(0), {sample, input}).reads(gradient_rows(emit), {sample, unit});
  if (key.has_bias != 0) {
    call.reads(gradient_rows(emit), {sample_of_bias, unit_of_bias});
  }
}

}  // namespace dense_rules

inline constexpr family dense_family{.name = "Dense",
                                     .describe = dense_rules::describe,
                                     .shapes = dense_rules::shapes,
                                     .forward = dense_rules::forward,
                                     .input_gradient = dense_rules::input_gradient,
                                     .weight_gradient = dense_rules::weight_gradient,
                                     .activation = activation_in<dense_options>,
                                     .applies_activation = true,
                                     .folds_channels = folds_with_bias<dense_options>,
                                     .one_step = each_step_alone,
                                     .reads = {storage::positions},
                                     .writes = {storage::positions},
                                     .passes_mask = true,
                                     .gradients = {storage::columns},
                                     .updates_with_gradient = true};

/// What the options of a Dense say, read once for all layers with the same ones.
template <typename... Options>
struct dense_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {
      &activation_key,       &alpha_key,
      &use_bias_key,         &init_key,
      &bias_init_key,        &kernel_regularizer_key,
      &bias_regularizer_key, &kernel_constraint_key,
      &bias_constraint_key,  &activity_regularizer_key};
  static constexpr auto kind = static_cast<activation_kind>(given.integer(activation_key, 0));

  static constexpr problem fault = find_weights_fault(given, accepted);

  static constexpr dense_options options{.units = 0,
                                         .activation = kind,
                                         .alpha = given.number(alpha_key, default_alpha(kind)),
                                         .has_bias = given.integer(use_bias_key, 1)};

  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start),
                                           start_of(given, bias_init_key, zeros::start)};

  static constexpr element separate_activation = separate_activation_of(kind, options.alpha);

  static constexpr element with_units(const whole_number& units) {
    if (!is_null(units.fault)) {
      return unfit_layer("Dense<units>", *units.fault);
    }
    dense_options chosen = options;
    chosen.units = units.value;
    return {.kind = element_kind::layer,
            .rule = &dense_family,
            .options = attributes::of(chosen),
            .starts = starts,
            .followed_by = gradient_from_output(kind) ? nullptr : &separate_activation,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// activation(x * kernel + bias): kernel [inputs, units], bias [units]. Of an image or a sequence
/// x is what stands at each position: (28, 28) becomes (28, units), as in Keras.
/// Options in any order, with Keras's defaults: an activation (linear), `alpha<...>` of it,
/// `use_bias<...>` (true), `init<...>` (glorot_uniform), `bias_init<...>` (zeros);
/// `kernel_regularizer<...>`, `bias_regularizer<...>`, `kernel_constraint<...>`,
/// `bias_constraint<...>`, `activity_regularizer<...>` (none).
template <auto Units = no_number{}, typename... Options>
struct Dense {
  static constexpr element description = dense_reading<Options...>::with_units(read_whole(Units));
};

/// `Dense(10)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
Dense(Arguments...) -> Dense<>;

}  // namespace ipu_dsl
