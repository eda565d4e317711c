// SPDX-License-Identifier: MIT
// What the output of a layer adds to the loss: the part of it that no target is needed for.
#pragma once

#include <cstdint>

#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

/// l1 |y| + l2 y^2 of one number of the output; sign(0) is 0. What a pair of numbers has beside it
/// is the same number again.
struct activity_penalty_rule {
  static constexpr bool is_told_nothing = true;

  float l1 = 0;
  float l2 = 0;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& made, const Vector&) const {
    const Vector with_magnitude = Math::multiply_add(Vector(l1), Math::magnitude(made), sum);
    return Math::multiply_add(made * Vector(l2), made, with_magnitude);
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector slope(const Vector& made, const Vector&) const {
    return Math::multiply_add(Vector(2 * l2), made, Vector(l1) * Math::sign(made));
  }
};

namespace activity_penalty_rules {

constexpr problem shapes(node_draft& draft) {
  draft.result(2);
  return {};
}

constexpr void forward(emitter& emit) {
  const pointwise_call key = pointwise_rules::key_of(emit, pointwise_variant::value);
  call_draft call = emit.call(key);
  pointwise_rules::count(emit, call, key, 0);
}

/// In one call with the sum; of a layer that does not learn, and none before it, the sum alone.
constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    forward(emit);
    return;
  }
  const pointwise_call key = pointwise_rules::key_of(emit, pointwise_variant::gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const axis_id unit = call.over(key.units);
  call.writes(emit.input_gradient(0).flat(), {sample, unit});
  call.beside();
  pointwise_rules::count(emit, call, key, 0);
  call.reads(emit.input_value(0).flat(), {sample, unit});
}

}  // namespace activity_penalty_rules

/// A loss of a layer's output that no target belongs to. As of every pointwise rule its sum is the
/// mean over the numbers of a sample, so that the node weighs as many as there are.
inline constexpr family activity_penalty_family{
    .name = "activity_regularizer",
    .shapes = activity_penalty_rules::shapes,
    .forward = activity_penalty_rules::forward,
    .input_gradient = activity_penalty_rules::input_gradient};

template <>
struct pointwise_rule<&activity_penalty_family> {
  using type = activity_penalty_rule;
};

}  // namespace ipu_dsl
