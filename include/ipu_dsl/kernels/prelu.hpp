// SPDX-License-Identifier: MIT
// Relus with slopes of their own, one for each element or for all along some axes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Extents of a sample, and the stride that each axis has among the slopes: 0 where it is shared.
struct sloped_axes {
  std::int32_t extents[4];
  std::int32_t strides[4];
};

/// Calls `body(first element, first slope)` for every row of the last axis of a sample, in order.
template <typename Body>
IPU_DSL_ALWAYS_INLINE void for_sloped_rows(const sloped_axes& by, const Body& body) {
  std::ptrdiff_t element = 0;
  for (std::int32_t first = 0; first < by.extents[0]; ++first) {
    for (std::int32_t second = 0; second < by.extents[1]; ++second) {
      for (std::int32_t third = 0; third < by.extents[2]; ++third) {
        body(element, std::ptrdiff_t{first} * by.strides[0] +
                          std::ptrdiff_t{second} * by.strides[1] +
                          std::ptrdiff_t{third} * by.strides[2]);
        element += by.extents[3];
      }
    }
  }
}

/// y = g where x is above zero, slope * g elsewhere, of one sample: with g = x the activation, with
/// its gradient that of x.
inline void sloped(const float* x, const float* g, const float* slopes, float* y,
                   const sloped_axes& by) noexcept {
  for_sloped_rows(by,
                  [&](std::ptrdiff_t element, std::ptrdiff_t slope) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                    for (std::int32_t n = 0; n < by.extents[3]; ++n) {
                      const std::ptrdiff_t i = element + n;
                      const float below = slopes[slope + std::ptrdiff_t{n} * by.strides[3]] * g[i];
                      y[i] = choose(x[i] > 0.0F, g[i], below);
                    }
                  });
}

/// Adds to every slope's sum the products of gradient and x below zero of one sample, in order of
/// elements.
inline void add_slope_gradients(const float* x, const float* gradient, float* sums,
                                const sloped_axes& by) noexcept {
  for_sloped_rows(by,
                  [&](std::ptrdiff_t element, std::ptrdiff_t slope) IPU_DSL_ALWAYS_INLINE_LAMBDA {
                    for (std::int32_t n = 0; n < by.extents[3]; ++n) {
                      const std::ptrdiff_t i = element + n;
                      float& sum = sums[slope + std::ptrdiff_t{n} * by.strides[3]];
                      sum = choose(x[i] > 0.0F, sum, multiply_add(gradient[i], x[i], sum));
                    }
                  });
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
