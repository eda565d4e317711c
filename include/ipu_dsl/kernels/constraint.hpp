// SPDX-License-Identifier: MIT
// Constraints of parameters: numbers that are not negative, norms of columns and of whole rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/parameter_rules.hpp>
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/parameter_sums.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// w = max(w, 0), of `elements` elements, whole vectors of them.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void make_non_negative(float* w, std::ptrdiff_t elements) noexcept {
  using lanes = vector<Architecture>;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    const lanes weight = load<lanes>(w + i);
    // In this order what is not a number stays what it is.
    store(w + i, choose(weight < lanes(0.0F), lanes(0.0F), weight));
  }
}

/// Keras's epsilon, which keeps a norm of zero from dividing.
inline constexpr float norm_epsilon = 1e-7F;

/// Between which norms may lie, and the share of the way there that is gone.
struct norm_limits {
  float most = 1;
  float least = 0;
  float rate = 1;
};

/// The norm that numbers of this one shall have: min(norm, most), or 1, or of `min_max_norm` rate
/// clip(norm, least, most) + (1 - rate) norm.
template <constraint_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector wanted_norm(const Vector& norm, const norm_limits& limits) {
  if constexpr (Kind == constraint_kind::unit_norm) {
    return Vector(1.0F);
  } else if constexpr (Kind == constraint_kind::max_norm) {
    return minimum(Vector(limits.most), norm);
  } else {
    const Vector between = maximum(Vector(limits.least), minimum(Vector(limits.most), norm));
    return multiply_add(Vector(limits.rate), between, Vector(1.0F - limits.rate) * norm);
  }
}

/// What numbers are multiplied with whose norm this is the square of: what it shall be / (epsilon +
/// norm).
template <constraint_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE Vector norm_factor(const Vector& square, const norm_limits& limits) {
  const Vector norm = square_root(square);
  return divide(wanted_norm<Kind>(norm, limits), norm + Vector(norm_epsilon));
}

/// Brings the norms of a vector of columns, whose `rows` rows lie `stride` apart, to what the
/// constraint wants: of each column one chain in order of rows.
template <constraint_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void constrain_columns(float* w, std::int32_t rows, std::ptrdiff_t stride,
                                         const norm_limits& limits) noexcept {
  using lanes = vector<Architecture>;
  lanes square(0.0F);
  for (std::int32_t row = 0; row < rows; ++row) {
    const lanes weight = load<lanes>(w + row * stride);
    square = multiply_add(weight, weight, square);
  }
  const lanes factor = norm_factor<Kind>(square, limits);
  for (std::int32_t row = 0; row < rows; ++row) {
    store(w + row * stride, factor * load<lanes>(w + row * stride));
  }
}

/// The same of a single column.
template <constraint_kind Kind>
void constrain_column(float* w, std::int32_t rows, std::ptrdiff_t stride,
                      const norm_limits& limits) noexcept {
  float square = 0;
  for (std::int32_t row = 0; row < rows; ++row) {
    square = multiply_add(w[row * stride], w[row * stride], square);
  }
  const float factor = norm_factor<Kind>(square, limits);
  for (std::int32_t row = 0; row < rows; ++row) {
    w[row * stride] = factor * w[row * stride];
  }
}

/// The squares of a parameter.
struct square_sum {
  static constexpr int kept = 0;
  static constexpr whole_sums sums{{1}};

  struct numbers {};

  template <int Stage, typename Math, typename Vector>
  IPU_DSL_ALWAYS_INLINE static void add(Vector* to, const Vector& w, const Vector*, const Vector&,
                                        const numbers&) {
    to[0] = Math::multiply_add(w, w, to[0]);
  }
};

/// The same of the norm of `elements` numbers one behind the other, whole vectors of them.
template <constraint_kind Kind, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void constrain_elements(float* w, std::int32_t elements,
                                          const norm_limits& limits) noexcept {
  using lanes = vector<Architecture>;
  float square = 0;
  sum_elements<square_sum, 0, Architecture>({{w}, w}, elements, {}, &square);
  const lanes factor(norm_factor<Kind>(square, limits));
  for (std::int32_t i = 0; i < elements; i += Architecture.lanes) {
    store(w + i, factor * load<lanes>(w + i));
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
