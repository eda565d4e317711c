// SPDX-License-Identifier: MIT
// Updates of parameters, elementwise, by the rule of any optimizer.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/update_rule.hpp>
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A parameter and what is kept beside it, which lie alike.
template <int Kept>
struct updated_parameter {
  float* parameter = nullptr;
  float* kept[std::size_t{Kept == 0 ? 1 : Kept}] = {};

  constexpr updated_parameter at(std::ptrdiff_t element) const {
    updated_parameter made;
    made.parameter = parameter + element;
    for (int i = 0; i < Kept; ++i) {
      made.kept[i] = kept[i] + element;
    }
    return made;
  }
};

/// Updates one vector (or one float) of a parameter, `element` behind its first, from its complete
/// gradient.
template <typename Rule, typename Vector>
IPU_DSL_ALWAYS_INLINE void update_vector(const updated_parameter<Rule::kept>& of,
                                         std::ptrdiff_t element, const Vector& gradient,
                                         const typename Rule::numbers& numbers) {
  Vector w = load<Vector>(of.parameter + element);
  Vector kept[std::size_t{Rule::kept == 0 ? 1 : Rule::kept}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < Rule::kept; ++i) {
    kept[i] = load<Vector>(of.kept[i] + element);
  }
  Rule::template apply<arithmetic>(w, kept, gradient, numbers);
  IPU_DSL_UNROLLED
  for (int i = 0; i < Rule::kept; ++i) {
    store(of.kept[i] + element, kept[i]);
  }
  store(of.parameter + element, w);
}

/// Updates `elements` elements of a parameter, whole vectors of them. The count is an argument: one
/// instance serves every parameter, and a constant would not make a long loop shorter.
template <typename Rule, layout::architecture Architecture = layout::native>
[[gnu::noinline]] void update_elements(const updated_parameter<Rule::kept>& of,
                                       const float* __restrict gradient, std::ptrdiff_t elements,
                                       const typename Rule::numbers& numbers) noexcept {
  using lanes = vector<Architecture>;
  const updated_parameter<Rule::kept> local = of;
  const typename Rule::numbers of_update = numbers;
  for (std::ptrdiff_t i = 0; i < elements; i += Architecture.lanes) {
    prefetch_for_writing<Architecture.lanes>(local.parameter + i, shared_floats_ahead);
    update_vector<Rule>(local, i, load<lanes>(gradient + i), of_update);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
