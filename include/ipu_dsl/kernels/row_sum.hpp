// SPDX-License-Identifier: MIT
// Sums over a row of an output and a row of what is wanted of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// What becomes of zero by `add(sum, predicted, wanted)` over the pairs of a row: sixteen chains,
/// of which chain c takes the numbers n % 16 = c in ascending order, then the sum of the chains in
/// ascending order. So the bits do not depend on the width of vectors. `add` takes floats and
/// vectors of them.
template <layout::architecture Architecture, typename Add>
IPU_DSL_ALWAYS_INLINE float row_sum(const float* predicted, const float* wanted, std::int32_t units,
                                    const Add& add) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t chains = 16;
  constexpr std::int32_t parts = chains / Architecture.lanes;
  lanes sums[std::size_t{parts}];
  for (lanes& each : sums) {
    each = lanes(0.0F);
  }
  const std::int32_t whole = units / chains * chains;
  for (std::int32_t n = 0; n < whole; n += chains) {
    for (std::int32_t part = 0; part < parts; ++part) {
      const std::int32_t at = n + part * Architecture.lanes;
      sums[part] = add(sums[part], load<lanes>(predicted + at), load<lanes>(wanted + at));
    }
  }
  float chain[std::size_t{chains}];
  for (std::int32_t part = 0; part < parts; ++part) {
    store(chain + part * Architecture.lanes, sums[part]);
  }
  for (std::int32_t n = whole; n < units; ++n) {
    chain[n - whole] = add(chain[n - whole], predicted[n], wanted[n]);
  }
  float sum = 0.0F;
  for (const float each : chain) {
    sum = sum + each;
  }
  return sum;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
