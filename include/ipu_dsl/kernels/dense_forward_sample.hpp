// SPDX-License-Identifier: MIT
// The forward pass of a dense layer for a single sample, which waits for the weights alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// `Chains` vectors of units for one sample, from the first one of a panel on and through the
/// panels behind it: one panel has too few chains to cover the latency of a multiply-add, several
/// together stream at the speed of the cache. Loads are left to the compiler as operands of the
/// multiply-adds, since each is used once. `bias` may be `y`: a chain that goes on.
template <layout::architecture Architecture, int Chains, int Vectors, activation_kind Kind>
[[gnu::noinline]] void dense_forward_sample_tile(const float* __restrict x,
                                                 const float* __restrict w, const float* bias,
                                                 float* y, std::int32_t inputs,
                                                 float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int lane_count = Architecture.lanes;
  constexpr int width = Vectors * lane_count;
  const std::ptrdiff_t panel_size = std::ptrdiff_t{inputs} * width;
  lanes sums[std::size_t{Chains}];
  IPU_DSL_UNROLLED
  for (int i = 0; i < Chains; ++i) {
    sums[i] = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + i * lane_count);
  }
  const auto one_input = [&](const lanes& input, const float* from) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    IPU_DSL_UNROLLED
    for (int i = 0; i < Chains; ++i) {
      const float* const row = from + (i / Vectors) * panel_size + (i % Vectors) * lane_count;
      sums[i] = multiply_add(input, load<lanes>(row), sums[i]);
    }
  };
  // Two inputs a turn: the loop waits for nothing but the loads (91 % of a plain stream, not 88 %).
  std::int32_t k = inputs % 2;
  if (k != 0) {
    one_input(lanes(x[0]), w);
    w += width;
  }
#pragma GCC unroll 1
  for (; k < inputs; k += 2) {
    one_input(lanes(x[k]), w);
    one_input(lanes(x[k + 1]), w + width);
    w += 2 * width;
  }
  IPU_DSL_UNROLLED
  for (int i = 0; i < Chains; ++i) {
    store(y + i * lane_count, activate<Kind>(sums[i], alpha));
  }
}

/// Weights that the first-level cache holds beside everything else.
inline constexpr std::int64_t first_level_elements = 8 * 1024;

/// How many panels are walked side by side: as many as registers hold where they come from the
/// first-level cache, else fewer, because each is a stream of its own that has to be fetched ahead.
constexpr std::int32_t panels_together(std::int32_t inputs, std::int32_t outputs,
                                       std::int32_t vectors, layout::architecture target) {
  constexpr std::int32_t streams = 3;
  const std::int32_t most = layout::max_tile_rows(vectors, target);
  const bool in_reach = std::int64_t{inputs} * outputs <= first_level_elements;
  return in_reach || most < streams ? most : streams;
}

/// All panels for one sample, in groups; the last group leaves out the vectors of its last panel
/// that hold no unit.
template <layout::architecture Architecture, int Inputs, int Outputs, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_sample(const float* x, const float* w, const float* bias,
                                                float* y, float alpha) noexcept {
  // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
  constexpr int width = layout::panel_width(Outputs, Architecture);
  constexpr int count = layout::panel_count(Outputs, Architecture);
  constexpr int vectors = width / Architecture.lanes;
  constexpr int unused = count * vectors - layout::ceiling_quotient(Outputs, Architecture.lanes);
  constexpr int together = panels_together(Inputs, Outputs, vectors, Architecture);
  constexpr int groups = layout::split_evenly(count, together).parts();
  parts_of<count, together>(
      {0, groups}, [&](auto panels, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::int32_t n = first * width;
        const float* const columns = w + std::ptrdiff_t{first} * Inputs * width;
        const float* const start = bias == nullptr ? nullptr : bias + n;
        if (first + panels < count) {
          dense_forward_sample_tile<Architecture, panels * vectors, vectors, Kind>(
              x, columns, start, y + n, Inputs, alpha);
        } else {
          dense_forward_sample_tile<Architecture, panels * vectors - unused, vectors, Kind>(
              x, columns, start, y + n, Inputs, alpha);
        }
      });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
