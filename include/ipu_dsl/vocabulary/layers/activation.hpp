// SPDX-License-Identifier: MIT
// The activations: options of a layer, and layers of their own. Those that normalise a row have
// rules of their own, as they need it in one piece.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

inline constexpr option_key activation_key{"activation"};
inline constexpr option_key alpha_key{"alpha"};

struct activation_options {
  activation_kind kind = activation_kind::linear;
  float alpha = 0;  ///< slope of leaky_relu, scale of elu
};

/// Keras's defaults: 0.3 for LeakyReLU, 1 for elu.
constexpr float default_alpha(activation_kind kind) {
  return kind == activation_kind::leaky_relu ? 0.3F : 1.0F;
}

/// Which code an activation is.
enum class activation_variant : std::int32_t { forward, gradient };

struct activation_call {
  activation_variant variant;
  activation_kind kind;
  std::int32_t rows;   ///< of a micro-batch: samples, or their positions
  std::int32_t units;  ///< elements of a row
};

namespace activation_rules {

constexpr label describe(const family&, const attributes& options) {
  return name_of(options.as<activation_options>().kind);
}

constexpr problem shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr activation_call key_of(const emitter& emit, activation_variant variant) {
  const stored_rows lain = emit.rows_of(emit.input_value(0));
  return {.variant = variant,
          .kind = emit.options<activation_options>().kind,
          .rows = lain.count,
          .units = lain.length};
}

constexpr void forward(emitter& emit) {
  const activation_call key = key_of(emit, activation_variant::forward);
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(emit.batch(), emit.input_shape(0).elements());
  call.scalar(emit.options<activation_options>().alpha)
      .writes(emit.output_value(0).flat(), {sample, unit})
      .reads_in_place(emit.input_value(0).flat(), {sample, unit});
}

constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0) || emit.hands_gradient_on(0)) {
    return;
  }
  const activation_call key = key_of(emit, activation_variant::gradient);
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(emit.batch(), emit.input_shape(0).elements());
  // The invertible ones need their output, the others their input.
  const bool from_output = gradient_from_output(key.kind);
  const buffer_ref kept = from_output ? emit.output_value(0) : emit.input_value(0);
  call.scalar(emit.options<activation_options>().alpha)
      .writes(emit.input_gradient(0).flat(), {sample, unit})
      .reads_in_place(emit.output_gradient(0).flat(), {sample, unit})
      .reads(kept.flat(), {sample, unit});
}

/// A layer `linear` makes nothing of its numbers, and says nothing of them.
constexpr told_activation kind_of(const attributes& options) {
  const activation_kind kind = options.as<activation_options>().kind;
  return {kind != activation_kind::linear, kind};
}

}  // namespace activation_rules

/// Elementwise activations, as a node of their own.
inline constexpr family activation_family{.name = "Activation",
                                          .describe = activation_rules::describe,
                                          .shapes = activation_rules::shapes,
                                          .forward = activation_rules::forward,
                                          .input_gradient = activation_rules::input_gradient,
                                          .activation = activation_rules::kind_of,
                                          .only_activates = true,
                                          .takes_gradient_put_through = true,
                                          .hands_gradient_on = true,
                                          .one_step = each_step_alone,
                                          .reads = {storage::rows, storage::positions},
                                          .writes = {storage::rows, storage::positions},
                                          .passes_mask = true,
                                          .keeps_bounds = true};

namespace softmax_rules {

/// Whether a node is of the family below.
constexpr bool makes(const node& made);

/// Any number of positions of so many units. Of one unit there is nothing to compare, and shares of
/// shares say little: both train, to nothing.
constexpr problem shapes(node_draft& draft) {
  const shape units = draft.input(0);
  if (units.rank < 1) {
    return refuse("a vector, or positions of units", ipu_dsl::describe(units));
  }
  const activation_kind kind = draft.options<activation_options>().kind;
  const std::string_view name = name_of(kind);
  if (units[units.rank - 1] == 1) {
    return refuse(label("at least 2 units for ") << name,
                  label("1, of which it makes ")
                      << (kind == activation_kind::softmax ? "1" : "0") << " always",
                  "sigmoid makes a probability of one unit; of two classes softmax takes Dense<2>");
  }
  // The layer whose option this is tells the same activation: what counts is who makes it.
  const node* const before = draft.activated_by(0);
  if (!is_null(before) && makes(*before)) {
    return refuse(label("scores for ") << name,
                  label("what ") << name_of(before->options.as<activation_options>().kind)
                                 << " has made already",
                  "keep one of the two");
  }
  draft.output(units);
  return {};
}

/// The code of activations does it, row by row of the last axis.
constexpr activation_call key_of(const emitter& emit, activation_variant variant) {
  const shape& read = emit.input_shape(0);
  return {.variant = variant,
          .kind = emit.options<activation_options>().kind,
          .rows = emit.batch() * positions_of(read),
          .units = read[read.rank - 1]};
}

constexpr void forward(emitter& emit) {
  const activation_call key = key_of(emit, activation_variant::forward);
  call_draft call = emit.call_of(activation_family, key);
  const auto [sample, position] = call.over(emit.batch(), positions_of(emit.input_shape(0)));
  const axis_id unit = call.all(key.units);
  call.writes(by_position(emit.output_value(0)), {sample, position, unit})
      .reads_in_place(by_position(emit.input_value(0)), {sample, position, unit});
}

constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const activation_call key = key_of(emit, activation_variant::gradient);
  call_draft call = emit.call_of(activation_family, key);
  const auto [sample, position] = call.over(emit.batch(), positions_of(emit.input_shape(0)));
  const axis_id unit = call.all(key.units);
  call.writes(by_position(emit.input_gradient(0)), {sample, position, unit})
      .reads_in_place(by_position(emit.output_gradient(0)), {sample, position, unit})
      .reads(by_position(emit.output_value(0)), {sample, position, unit});
}

}  // namespace softmax_rules

/// Softmax and its logarithm, over the last axis, which lies in one piece.
inline constexpr family softmax_family{.name = "Softmax",
                                       .describe = activation_rules::describe,
                                       .shapes = softmax_rules::shapes,
                                       .forward = softmax_rules::forward,
                                       .input_gradient = softmax_rules::input_gradient,
                                       .activation = activation_rules::kind_of,
                                       .one_step = each_step_alone,
                                       .reads = {storage::positions},
                                       .writes = {storage::positions},
                                       .passes_mask = true};

constexpr bool softmax_rules::makes(const node& made) {
  return same_address(made.rule, &softmax_family);
}

/// The node that an activation is.
constexpr element activation_element(activation_kind kind, float alpha) {
  return {.kind = element_kind::layer,
          .rule = normalizes(kind) ? &softmax_family : &activation_family,
          .options = attributes::of(activation_options{kind, alpha})};
}

/// Whether what a loss or a metric judges is made by a node of this activation.
constexpr bool made_by(node_draft& draft, activation_kind kind) {
  const node* const last = draft.made_by(0);
  const family& rule = normalizes(kind) ? softmax_family : activation_family;
  return !is_null(last) && same_address(last->rule, &rule) &&
         last->options.as<activation_options>().kind == kind;
}

/// What the types of activations have in common: `Dense<10, softmax>` reads the option, and
/// `stage<Dense<10>, softmax>` the layer.
template <activation_kind Kind>
struct activation_layer {
  static constexpr option as_option{&activation_key, static_cast<std::int32_t>(Kind)};
  static constexpr element description = activation_element(Kind, default_alpha(Kind));
};

struct linear : activation_layer<activation_kind::linear> {};

struct relu : activation_layer<activation_kind::relu> {};

/// x within [0, 6], as MobileNets have it: Keras's `ReLU(6.)`.
struct relu6 : activation_layer<activation_kind::relu6> {};

struct leaky_relu : activation_layer<activation_kind::leaky_relu> {};

struct elu : activation_layer<activation_kind::elu> {};

struct gelu : activation_layer<activation_kind::gelu> {};

struct swish : activation_layer<activation_kind::swish> {};

struct sigmoid : activation_layer<activation_kind::sigmoid> {};

/// Keras's tanh. Not by that name, which C headers put into the global namespace: after
/// `using namespace ipu_dsl` nobody could call either.
struct hyperbolic_tangent : activation_layer<activation_kind::tanh> {};

struct softplus : activation_layer<activation_kind::softplus> {};

/// elu with the scales that keep the mean at 0 and the variance at 1 (Klambauer et al. 2017).
struct selu : activation_layer<activation_kind::selu> {};

/// Keras's: 0.2 x + 0.5 within [0, 1].
struct hard_sigmoid : activation_layer<activation_kind::hard_sigmoid> {};

/// x / (1 + |x|).
struct softsign : activation_layer<activation_kind::softsign> {};

/// e^x.
struct exponential : activation_layer<activation_kind::exponential> {};

/// x tanh(ln(1 + e^x)) (Misra 2019).
struct mish : activation_layer<activation_kind::mish> {};

/// Over the last axis: the units of a vector, the classes at each position.
struct softmax : activation_layer<activation_kind::softmax> {};

/// The logarithm of softmax, over the last axis.
struct log_softmax : activation_layer<activation_kind::log_softmax> {};

/// Keras's layer.
using Softmax = softmax;

/// The slope of `leaky_relu` below zero, the scale of `elu`: `Dense<64, leaky_relu, alpha<0.1F>>`.
template <auto Value>
struct alpha {
  static constexpr option as_option = real_option(&alpha_key, Value);
};

/// An alpha beside an activation that has none would be lost.
constexpr problem check_alpha(bool given, activation_kind kind) {
  const bool has_alpha = kind == activation_kind::leaky_relu || kind == activation_kind::elu;
  if (!given || has_alpha) {
    return {};
  }
  return refuse("leaky_relu or elu beside alpha<...>", name_of(kind), "take alpha out");
}

/// Keras's `Activation('relu')`, with options: `Activation<leaky_relu, alpha<0.1F>>`.
template <typename... Options>
struct Activation {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&activation_key, &alpha_key};
  static constexpr auto kind = static_cast<activation_kind>(given.integer(activation_key, 0));

  static constexpr problem find_fault() {
    const problem found = given.find_fault(accepted);
    return found.found() ? found : check_alpha(given.given(alpha_key), kind);
  }

  static constexpr problem fault = find_fault();

  static constexpr element describe_layer() {
    element made = activation_element(kind, given.number(alpha_key, default_alpha(kind)));
    made.fault = &fault;
    return made;
  }

 public:
  static constexpr element description = describe_layer();
};

}  // namespace ipu_dsl
