// SPDX-License-Identifier: MIT
// How a loss or a metric judges one number of an output by one number of its target.
#pragma once

#include <concepts>

#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// No such rule. One has the same form as that of an optimizer (`no_update` says what `Math` and
/// `Vector` are; kernels/arithmetic.hpp has what else `Math` has):
///
///   struct my_rule {
///     // Options, if there are any: at most four members of 32 bits. They are the options of the
///     // node, and the code is compiled for them.
///     float delta = 1;
///
///     // What the pair adds to the sum.
///     template <typename Math, typename Vector>
///     [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& predicted,
///                                       const Vector& wanted) const;
///
///     // Losses only: the derivative of what is added by `predicted`.
///     template <typename Math, typename Vector>
///     [[gnu::always_inline]] Vector slope(const Vector& predicted, const Vector& wanted) const;
///
///     // Only if what is reported is not the mean itself: what is made of it.
///     [[gnu::always_inline]] static double finish(double mean);
///   };
///
/// Without options the functions may be static.
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
