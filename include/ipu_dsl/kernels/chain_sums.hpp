// SPDX-License-Identifier: MIT
// Sums along a row that are the same bits on vectors of any width.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/transpose.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Sixteen chains, of which chain c takes the elements i % 16 = c in ascending order.
inline constexpr std::int32_t lane_chains = 16;

template <layout::architecture Architecture>
struct chain_sums {
  using lanes = vector<Architecture>;
  static constexpr std::int32_t parts = lane_chains / Architecture.lanes;

  lanes sums[std::size_t{parts}];

  IPU_DSL_ALWAYS_INLINE chain_sums() {
    IPU_DSL_UNROLLED
    for (int part = 0; part < parts; ++part) {
      sums[part] = lanes(0.0F);
    }
  }

  /// The sum of the chains: chain c with c + 8, these with c + 4, c + 2 and c + 1.
  IPU_DSL_ALWAYS_INLINE float total() const {
    float chain[std::size_t{lane_chains}];
    IPU_DSL_UNROLLED
    for (int part = 0; part < parts; ++part) {
      store(chain + part * Architecture.lanes, sums[part]);
    }
    const quad even = load<quad>(chain) + load<quad>(chain + 8);
    const quad odd = load<quad>(chain + 4) + load<quad>(chain + 12);
    store(chain, even + odd);
    return (chain[0] + chain[2]) + (chain[1] + chain[3]);
  }
};

/// Calls `visit(element index, part of the chains)` for the vectors of a row of `elements`, whole
/// vectors, in ascending order.
template <layout::architecture Architecture, typename Visit>
IPU_DSL_ALWAYS_INLINE void for_chain_vectors(std::int32_t elements, const Visit& visit) {
  constexpr std::int32_t parts = lane_chains / Architecture.lanes;
  std::int32_t n = 0;
  for (; n + lane_chains <= elements; n += lane_chains) {
    IPU_DSL_UNROLLED
    for (std::int32_t part = 0; part < parts; ++part) {
      visit(n + part * Architecture.lanes, part);
    }
  }
  IPU_DSL_UNROLLED
  for (std::int32_t part = 0; part < parts; ++part) {
    if (n + part * Architecture.lanes < elements) {
      visit(n + part * Architecture.lanes, part);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
