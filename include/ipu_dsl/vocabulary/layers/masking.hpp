// SPDX-License-Identifier: MIT
// Masking: steps of a sequence that are none.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/masked_steps.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_input.hpp>

namespace ipu_dsl {

struct masking_options {
  float value = 0;
};

namespace masking_rules {

constexpr label describe(const family&, const attributes& options) {
  return label("Masking<") << options.as<masking_options>().value << ">";
}

constexpr problem shapes(node_draft& draft) {
  const shape input = draft.input(0);
  if (input.rank != 2) {
    return refuse_no_sequence("a sequence (steps, features)", input);
  }
  draft.output(input);
  draft.mask_output();
  return {};
}

constexpr masked_sequences sequences_of(const emitter& emit) {
  return {.steps = emit.input_shape(0)[0], .units = emit.input_shape(0)[1]};
}

constexpr void forward(emitter& emit) {
  const masked_sequences of = sequences_of(emit);
  call_draft call = emit.call_of(masked_steps_family, of.key(emit, masked_steps_variant::masked));
  const axis_id sample = call.over(emit.batch());
  const axis_id step = call.over(of.steps);
  const axis_id feature = call.all(of.units);
  call.scalar(emit.options<masking_options>().value)
      .writes(emit.output_value(0), {sample, step, feature})
      .writes(emit.output_value(1), {sample, step})
      .reads(emit.input_value(0), {sample, step, feature});
}

constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const masked_sequences of = sequences_of(emit);
  call_draft call =
      emit.call_of(masked_steps_family, of.key(emit, masked_steps_variant::masked_gradient));
  const axis_id sample = call.over(emit.batch());
  const auto [step, feature] = call.over(of.steps, of.units);
  call.writes(emit.input_gradient(0), {sample, step, feature})
      .reads(emit.output_gradient(0), {sample, step, feature})
      .reads(emit.output_value(1), {sample, step});
}

}  // namespace masking_rules

inline constexpr family masking_family{.name = "Masking",
                                       .describe = masking_rules::describe,
                                       .shapes = masking_rules::shapes,
                                       .forward = masking_rules::forward,
                                       .input_gradient = masking_rules::input_gradient,
                                       .one_step = each_step_alone,
                                       .reads = {storage::positions},
                                       .writes = {storage::positions},
                                       .keeps_bounds = true};

constexpr element describe_masking(const real_number& value, const problem& fault) {
  if (!is_null(value.fault)) {
    return unfit_layer("Masking<...>", *value.fault);
  }
  return {.kind = element_kind::layer,
          .rule = &masking_family,
          .options = attributes::of(masking_options{value.value}),
          .fault = &fault};
}

/// Steps of a sequence (steps, features) all of whose numbers are `Value` are none, Keras's
/// Masking: recurrent layers behind it pass over them, with the state that they had and the output
/// of the step before, and losses and metrics of each step leave them out. Layers on each step hand
/// that on; others are refused.
template <auto Value = 0, typename... Options>
struct Masking {
 private:
  static constexpr problem fault = options_of<Options...>.find_fault({});

 public:
  static constexpr element description = describe_masking(real(Value), fault);
};

}  // namespace ipu_dsl
