// SPDX-License-Identifier: MIT
// Half the squared difference where it is small, and linear beyond.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl {

inline constexpr option_key delta_key{"delta"};

/// From which difference on `huber` is linear; 1 unless given.
template <auto Value>
struct delta {
  static constexpr option as_option = real_option(&delta_key, Value);
};

/// d^2 / 2 up to |d| = delta, then delta |d| - delta^2 / 2, of d = predicted - wanted (Huber 1964).
struct huber_rule {
  float delta = 1;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& predicted,
                                    const Vector& wanted) const {
    const Vector error = Math::magnitude(predicted - wanted);
    const Vector inner = Math::minimum(Vector(delta), error);
    const Vector half = inner * Vector(0.5F);
    const Vector outer = error - inner;
    return Math::multiply_add(Vector(delta), outer, Math::multiply_add(half, inner, sum));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector slope(const Vector& predicted, const Vector& wanted) const {
    const Vector bound(delta);
    const Vector lowest = Vector(0.0F) - bound;
    return Math::minimum(bound, Math::maximum(lowest, predicted - wanted));
  }
};

namespace huber_rules {

constexpr problem shapes(node_draft& draft) {
  const float chosen = draft.options<huber_rule>().delta;
  if (!(chosen > 0.0F)) {
    return refuse("a delta above 0", label() << chosen, "delta<1.0F> is the default");
  }
  return pointwise_rules::shapes(draft);
}

}  // namespace huber_rules

inline constexpr family huber_family{.name = "huber",
                                     .shapes = huber_rules::shapes,
                                     .forward = pointwise_rules::forward,
                                     .input_gradient = pointwise_rules::input_gradient};

template <>
struct pointwise_rule<&huber_family> {
  using type = huber_rule;
};

/// `loss<huber, delta<0.5F>>` of float targets shaped like the output, a mean over the numbers of a
/// sample and over samples; the same as a metric, with options `metric<huber, delta<0.5F>>`.
struct huber {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &huber_family;
  static constexpr const option_key* accepted[] = {&delta_key};

  template <std::size_t Count>
  static constexpr huber_rule read(const option_list<Count>& given) {
    return {given.number(delta_key, 1.0F)};
  }
};

}  // namespace ipu_dsl
