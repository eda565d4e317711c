// SPDX-License-Identifier: MIT
// How a loss or a metric judges one number of an output by one number of its target.
#pragma once

#include <concepts>

#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// No such rule. One has the same form as that of an optimizer (`no_update` says what `Math` and
/// `Vector` are; there are `Math::choose(condition, a, b)`, `Math::maximum` and `Math::minimum` as
/// well):
///
///   struct my_rule {
///     // What the pair adds to the sum.
///     template <typename Math, typename Vector>
///     [[gnu::always_inline]] static Vector add(const Vector& sum, const Vector& predicted,
///                                              const Vector& wanted);
///
///     // Losses only: the derivative of what is added by `predicted`.
///     template <typename Math, typename Vector>
///     [[gnu::always_inline]] static Vector slope(const Vector& predicted, const Vector& wanted);
///   };
struct no_pointwise_rule {};

/// The rule of a loss or a metric that is the mean over the numbers of a sample, and over samples,
/// of what one pair of numbers says; specialised in its own header.
template <const family* Judge>
struct pointwise_rule {
  using type = no_pointwise_rule;
};

/// Whether a loss or a metric is pointwise and its rule known.
template <const family* Judge>
concept judges_pointwise = !std::same_as<typename pointwise_rule<Judge>::type, no_pointwise_rule>;

}  // namespace ipu_dsl
