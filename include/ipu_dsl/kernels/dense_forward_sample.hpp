// SPDX-License-Identifier: MIT
// The forward pass of a dense layer for a single sample, which waits for the weights alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>

namespace ipu_dsl::kernels {

/// `Panels` panels side by side for one sample: one panel has too few chains to cover the latency
/// of a multiply-add, several together stream at the speed of the cache. Loads are left to the
/// compiler as operands of the multiply-adds, since each is used once.
template <layout::architecture Architecture, int Panels, int Vectors, activation_kind Kind>
[[gnu::noinline]] void dense_forward_sample_tile(const float* __restrict x,
                                                 const float* __restrict w,
                                                 const float* __restrict bias, float* __restrict y,
                                                 std::int32_t inputs, float alpha) noexcept {
  using lanes = vector<Architecture>;
  constexpr int lane_count = Architecture.lanes;
  constexpr int width = Vectors * lane_count;
  const std::ptrdiff_t panel_size = std::ptrdiff_t{inputs} * width;
  lanes sums[std::size_t{Panels * Vectors}];
  unrolled<Panels * Vectors>([&](auto i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    sums[i] = bias == nullptr ? lanes(0.0F) : load<lanes>(bias + i * lane_count);
  });
#pragma GCC unroll 1
  for (std::int32_t k = 0; k < inputs; ++k) {
    const lanes input(x[k]);
    unrolled<Panels>([&](auto panel) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const float* const row = w + panel * panel_size;
      unrolled<Vectors>([&](auto v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        constexpr int i = decltype(panel)::value * Vectors + decltype(v)::value;
        sums[i] = multiply_add(input, load<lanes>(row + v * lane_count), sums[i]);
      });
    });
    w += width;
  }
  unrolled<Panels * Vectors>([&](auto i) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    store(y + i * lane_count, activate<Kind>(sums[i], alpha));
  });
}

/// All full panels for one sample, in groups that fill the registers.
template <layout::architecture Architecture, int Inputs, int Outputs, activation_kind Kind>
IPU_DSL_ALWAYS_INLINE void dense_forward_sample_panels(const float* x, const float* w,
                                                       const float* bias, float* y,
                                                       float alpha) noexcept {
  constexpr panel_columns columns(Outputs, Architecture);
  // g++ 12.2 fails on a struct of constants that is used inside a lambda, not on its members.
  constexpr int width = columns.width;
  constexpr int vectors = columns.vectors;
  constexpr std::ptrdiff_t panel_size = std::ptrdiff_t{Inputs} * width;
  tile_rows<Architecture, columns.full_panels, columns.vectors>(
      [&](auto panels, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        const std::int32_t n = first * width;
        dense_forward_sample_tile<Architecture, panels, vectors, Kind>(
            x, w + first * panel_size, bias == nullptr ? nullptr : bias + n, y + n, Inputs, alpha);
      });
}

}  // namespace ipu_dsl::kernels
