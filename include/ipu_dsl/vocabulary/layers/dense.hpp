// SPDX-License-Identifier: MIT
// Dense: activation(input * kernel + bias).
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/initialization.hpp>

namespace ipu_dsl {

inline constexpr option_key use_bias_key{"use_bias"};

template <auto Value>
struct use_bias {
  static constexpr option as_option = bool_option(&use_bias_key, Value);
};

struct dense_options {
  std::int32_t units = 0;
  activation_kind activation = activation_kind::linear;
  float alpha = 0;
  std::int32_t has_bias = 1;
  initializer kernel_start;
  initializer bias_start;

  /// What the node computes itself. An activation whose gradient needs more than the output is a
  /// node of its own behind this one.
  constexpr activation_kind fused() const {
    return gradient_from_output(activation) ? activation : activation_kind::linear;
  }
};

/// The variants of Dense's code, with the meaning of their extents:
/// {batch, inputs, units, activation, has bias, gradient lies in columns, one of the variant's
/// own}.
enum class dense_variant : std::int32_t {
  forward,  ///< writes y, reads x, kernel[, bias]
  /// Writes d and, if the seventh extent is 1, d by unit; reads gradient and, unless linear, y.
  output_gradient,
  input_gradient,  ///< writes the input's gradient by unit, reads kernel, d by unit
  /// Adds to the accumulators of kernel[, bias], reads x, d. The seventh extent is the kind of
  /// update that the last micro-batch ends with; unless it is none, the call also writes, for each
  /// parameter, the parameter and what the optimizer keeps of it.
  weight_gradient
};

namespace dense_rules {

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<dense_options>();
  label words = "Dense<";
  words << options.units;
  if (options.activation != activation_kind::linear) {
    words << ", " << name_of(options.activation);
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
  if (input.rank != 1) {
    return refuse("a vector", ipu_dsl::describe(input), "put Flatten before it");
  }
  draft.parameter("kernel", {input[0], options.units}, options.kernel_start, storage::panels);
  if (options.has_bias != 0) {
    draft.parameter("bias", {options.units}, options.bias_start, storage::panel_bias);
  }
  draft.output({options.units});
  return {};
}

constexpr call_signature signature(const emitter& emit, dense_variant variant,
                                   storage gradient = storage::rows, std::int32_t own = 0) {
  const auto options = emit.options<dense_options>();
  return {.variant = static_cast<std::int32_t>(variant),
          .extents = {emit.batch(), emit.input_shape(0)[0], options.units,
                      static_cast<std::int32_t>(options.fused()), options.has_bias,
                      gradient == storage::columns ? 1 : 0, own}};
}

constexpr work matmul(const emitter& emit) {
  return {.kind = work_kind::matmul,
          .m = emit.batch(),
          .n = emit.options<dense_options>().units,
          .k = emit.input_shape(0)[0]};
}

constexpr void forward(emitter& emit) {
  const auto options = emit.options<dense_options>();
  const call_signature code = signature(emit, dense_variant::forward);
  if (options.has_bias != 0) {
    emit.call_kernel(code, {emit.output_value(0)},
                     {emit.input_value(0), emit.parameter_value(0), emit.parameter_value(1)},
                     matmul(emit), options.alpha);
  } else {
    emit.call_kernel(code, {emit.output_value(0)}, {emit.input_value(0), emit.parameter_value(0)},
                     matmul(emit), options.alpha);
  }
}

/// Whether the gradient of a linear layer's output is that of its pre-activation as it lies.
constexpr bool passes_gradient(const emitter& emit, storage lies) {
  const bool linear = emit.options<dense_options>().fused() == activation_kind::linear;
  return linear && emit.output_gradient_lies(0) == lies;
}

/// The gradient of the pre-activation, as the weight gradient reads it.
constexpr std::int32_t gradient_rows(emitter& emit) {
  return passes_gradient(emit, storage::rows)
             ? emit.output_gradient(0)
             : emit.scratch(0, emit.output_shape(0), storage::rows);
}

/// The same as the input gradient reads it.
constexpr std::int32_t gradient_columns(emitter& emit) {
  return passes_gradient(emit, storage::columns)
             ? emit.output_gradient(0)
             : emit.scratch(1, emit.output_shape(0), storage::columns);
}

/// Masks the output's gradient by the activation and lays it out for those who read it.
constexpr void output_gradient(emitter& emit) {
  const auto options = emit.options<dense_options>();
  const std::int64_t elements = std::int64_t{emit.batch()} * options.units;
  const work cost = {.kind = work_kind::elementwise, .m = elements};
  const work copy = {.kind = work_kind::copy, .m = elements};
  const bool wanted = emit.wants_input_gradient(0);
  const call_signature code =
      signature(emit, dense_variant::output_gradient, emit.output_gradient_lies(0), wanted ? 1 : 0);
  if (passes_gradient(emit, storage::rows)) {
    if (wanted) {
      emit.call_kernel(transpose_family, {.extents = {emit.batch(), options.units}},
                       {gradient_columns(emit)}, {emit.output_gradient(0)}, copy);
    }
  } else if (passes_gradient(emit, storage::columns)) {
    emit.call_kernel(transpose_family, {.extents = {options.units, emit.batch()}},
                     {gradient_rows(emit)}, {emit.output_gradient(0)}, copy);
  } else if (wanted) {
    emit.call_kernel(code, {gradient_rows(emit), gradient_columns(emit)},
                     {emit.output_gradient(0), emit.output_value(0)}, cost, options.alpha);
  } else {
    emit.call_kernel(code, {gradient_rows(emit)}, {emit.output_gradient(0), emit.output_value(0)},
                     cost, options.alpha);
  }
}

/// First the activation's mask, then the product.
constexpr void input_gradient(emitter& emit) {
  output_gradient(emit);
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const bool as_made = emit.input_gradient_lies(0) == storage::columns;
  const std::int32_t made =
      as_made ? emit.input_gradient(0) : emit.scratch(2, emit.input_shape(0), storage::columns);
  emit.call_kernel(signature(emit, dense_variant::input_gradient, storage::columns), {made},
                   {emit.parameter_value(0), gradient_columns(emit)}, matmul(emit));
  if (!as_made) {
    const std::int32_t inputs = emit.input_shape(0)[0];
    emit.call_kernel(transpose_family, {.extents = {inputs, emit.batch()}},
                     {emit.input_gradient(0)}, {made},
                     {.kind = work_kind::copy, .m = std::int64_t{emit.batch()} * inputs});
  }
}

constexpr void weight_gradient(emitter& emit) {
  const update_kind update = emit.fused_update();
  list<std::int32_t> writes;
  for (std::int32_t i = 0; i < emit.parameters(); ++i) {
    writes.push_back(emit.accumulator(i));
  }
  for (std::int32_t i = 0; update != update_kind::none && i < emit.parameters(); ++i) {
    writes.push_back(emit.parameter_value(i));
    for (std::int32_t slot = 0; slot < slots_of(update); ++slot) {
      writes.push_back(emit.optimizer_slot(i, slot));
    }
  }
  const std::int32_t reads[] = {emit.input_value(0), gradient_rows(emit)};
  emit.call_kernel(signature(emit, dense_variant::weight_gradient, storage::rows,
                             static_cast<std::int32_t>(update)),
                   {writes.data(), writes.size()}, reads, matmul(emit));
}

}  // namespace dense_rules

inline constexpr family dense_family{.name = "Dense",
                                     .describe = dense_rules::describe,
                                     .shapes = dense_rules::shapes,
                                     .forward = dense_rules::forward,
                                     .input_gradient = dense_rules::input_gradient,
                                     .weight_gradient = dense_rules::weight_gradient,
                                     .gradients_by_unit = true,
                                     .updates_with_gradient = true};

/// What the options of a Dense say, read once for all layers with the same ones.
template <typename... Options>
struct dense_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&activation_key, &alpha_key, &use_bias_key,
                                                   &init_key, &bias_init_key};
  static constexpr auto kind = static_cast<activation_kind>(given.integer(activation_key, 0));

  /// Unknown options, options set twice, and options without effect.
  static constexpr problem find_fault() {
    problem found = given.find_fault(accepted);
    if (!found.found()) {
      found = check_alpha(given.given(alpha_key), kind);
    }
    if (!found.found() && given.given(bias_init_key) && given.integer(use_bias_key, 1) == 0) {
      found = refuse("a bias beside bias_init<...>", "use_bias<false>", "take one of them out");
    }
    return found;
  }

  static constexpr problem fault = find_fault();

  static constexpr initializer start(const option_key& key, initializer_kind otherwise) {
    const auto chosen = given.integer(key, static_cast<std::int32_t>(otherwise));
    return {static_cast<initializer_kind>(chosen), given.number(key, 0)};
  }

  static constexpr dense_options options{
      .units = 0,
      .activation = kind,
      .alpha = given.number(alpha_key, default_alpha(kind)),
      .has_bias = given.integer(use_bias_key, 1),
      .kernel_start = start(init_key, initializer_kind::glorot_uniform),
      .bias_start = start(bias_init_key, initializer_kind::zeros)};

  static constexpr element separate_activation{
      .kind = element_kind::layer,
      .rule = &activation_family,
      .options = attributes::of(activation_options{kind, options.alpha})};

  static constexpr element with_units(const whole_number& units) {
    if (units.fault != nullptr) {
      return unfit_layer("Dense<...>", *units.fault);
    }
    dense_options chosen = options;
    chosen.units = units.value;
    return {.kind = element_kind::layer,
            .rule = &dense_family,
            .options = attributes::of(chosen),
            .followed_by = gradient_from_output(kind) ? nullptr : &separate_activation,
            .fault = &fault};
  }
};

/// activation(x * kernel + bias), with x a vector: kernel [inputs, units], bias [units].
/// Options in any order, with Keras's defaults: an activation (linear), `alpha<...>` of it,
/// `use_bias<...>` (true), `init<...>` (glorot_uniform), `bias_init<...>` (zeros).
template <auto Units, typename... Options>
struct Dense {
  static constexpr element description = dense_reading<Options...>::with_units(whole(Units));
};

}  // namespace ipu_dsl
