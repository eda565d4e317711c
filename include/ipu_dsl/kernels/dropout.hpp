// SPDX-License-Identifier: MIT
// Inverted dropout whose mask is a function of seed, stream and logical index alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Which mask: `first_element` is the index of the first unit of the first sample among all units
/// of all samples of the run, so that micro-batch size and recomputation cannot change it.
struct dropout_mask {
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint64_t first_element;
  float rate;  ///< the share that is dropped, in [0, 1)
};

/// y = x / (1 - rate) where the mask keeps an element, otherwise zero, both
/// [rows][row_stride(units)]; `y` may be `x`. Backward is the same call on gradients: the mask is
/// made again, never kept.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void dropout(const float* x, float* y, std::int32_t rows, std::int32_t units,
                               const dropout_mask& mask) noexcept {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  const float kept = 1.0F / (1.0F - mask.rate);
  std::uint64_t index = mask.first_element;
  random_block block = philox(mask.seed, mask.stream, index / 4);
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::ptrdiff_t first = std::ptrdiff_t{row} * stride;
    for (std::ptrdiff_t n = first; n < first + units; ++n) {
      const float uniform = uniform_unit(block.words[index % 4]);
      y[n] = uniform < mask.rate ? 0.0F : x[n] * kept;
      ++index;
      if (index % 4 == 0) {
        block = philox(mask.seed, mask.stream, index / 4);
      }
    }
    clear_padding(y + first, units, stride);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
