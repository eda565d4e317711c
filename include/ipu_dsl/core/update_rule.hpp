// SPDX-License-Identifier: MIT
// How an optimizer moves one number of a parameter, as kernels know it.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The numbers that an optimizer may be told for an update: rates, decays.
inline constexpr std::size_t most_optimizer_numbers = 8;

/// No update: a gradient is summed, and that is all. The rule of an optimizer whose update is
/// elementwise has the same members:
///
///   struct my_rule {
///     static constexpr int kept = 1;    // numbers kept beside each of the parameter
///     struct numbers { float rate; };   // floats, made by the host for an update
///     template <typename Math, typename Vector>
///     [[gnu::always_inline]] static void apply(Vector& w, Vector* kept, const Vector& gradient,
///                                              const numbers& of_update);
///   };
///
/// `Vector` is a float or a vector of them. `Math` has what every processor rounds alike:
/// `multiply_add(a, b, c)` and `divide(a, b)`; sums and products are written with + and *. Padding,
/// which is zero, must stay zero.
struct no_update {
  static constexpr int kept = 0;

  struct numbers {};
};

}  // namespace ipu_dsl
