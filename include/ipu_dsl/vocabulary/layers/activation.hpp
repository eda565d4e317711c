// SPDX-License-Identifier: MIT
// The activations: options of a layer, and layers of their own.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
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

/// The variants of an activation's code.
enum class activation_variant : std::int32_t { forward, gradient };

namespace activation_rules {

constexpr label describe(const family&, const attributes& options) {
  return name_of(options.as<activation_options>().kind);
}

constexpr problem shapes(node_draft& draft) {
  const auto kind = draft.options<activation_options>().kind;
  if (kind == activation_kind::softmax && draft.input(0).rank != 1) {
    return refuse("a vector", ipu_dsl::describe(draft.input(0)),
                  "softmax runs over the units of a vector: put Flatten before it");
  }
  draft.output(draft.input(0));
  return {};
}

constexpr call_signature signature(const emitter& emit, activation_variant variant) {
  const auto kind = emit.options<activation_options>().kind;
  return {.variant = static_cast<std::int32_t>(variant),
          .extents = {static_cast<std::int32_t>(kind), emit.batch(),
                      static_cast<std::int32_t>(emit.input_shape(0).elements())}};
}

constexpr work cost(const emitter& emit) {
  return {.kind = work_kind::elementwise, .m = emit.input_shape(0).elements() * emit.batch()};
}

constexpr void forward(emitter& emit) {
  emit.call_kernel(signature(emit, activation_variant::forward), {emit.output_value(0)},
                   {emit.input_value(0)}, cost(emit), emit.options<activation_options>().alpha);
}

/// Softmax and the invertible activations need their output, the others their input.
constexpr bool reads_output(activation_kind kind) {
  return gradient_from_output(kind) || kind == activation_kind::softmax;
}

constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const auto options = emit.options<activation_options>();
  const std::int32_t kept = reads_output(options.kind) ? emit.output_value(0) : emit.input_value(0);
  emit.call_kernel(signature(emit, activation_variant::gradient), {emit.input_gradient(0)},
                   {emit.output_gradient(0), kept}, cost(emit), options.alpha);
}

}  // namespace activation_rules

/// Elementwise activations and softmax, as a node of their own.
inline constexpr family activation_family{.name = "Activation",
                                          .describe = activation_rules::describe,
                                          .shapes = activation_rules::shapes,
                                          .forward = activation_rules::forward,
                                          .input_gradient = activation_rules::input_gradient};

/// What the types of activations have in common: `Dense<10, softmax>` reads the option, and
/// `stage<Dense<10>, softmax>` the layer.
template <activation_kind Kind>
struct activation_layer {
  static constexpr option as_option{&activation_key, static_cast<std::int32_t>(Kind)};
  static constexpr element description{
      .kind = element_kind::layer,
      .rule = &activation_family,
      .options = attributes::of(activation_options{Kind, default_alpha(Kind)})};
};

struct linear : activation_layer<activation_kind::linear> {};

struct relu : activation_layer<activation_kind::relu> {};

struct leaky_relu : activation_layer<activation_kind::leaky_relu> {};

struct elu : activation_layer<activation_kind::elu> {};

struct gelu : activation_layer<activation_kind::gelu> {};

struct swish : activation_layer<activation_kind::swish> {};

struct sigmoid : activation_layer<activation_kind::sigmoid> {};

/// Keras's tanh. Not by that name, which C headers put into the global namespace: after
/// `using namespace ipu_dsl` nobody could call either.
struct hyperbolic_tangent : activation_layer<activation_kind::tanh> {};

struct softplus : activation_layer<activation_kind::softplus> {};

struct softmax : activation_layer<activation_kind::softmax> {};

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

 public:
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &activation_family,
                                       .options = attributes::of(activation_options{
                                           kind, given.number(alpha_key, default_alpha(kind))}),
                                       .fault = &fault};
};

}  // namespace ipu_dsl
