// SPDX-License-Identifier: MIT
// The register tiles of a weight gradient, x^T d, and the update that may follow while they are in
// registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/kernels/prefetch.hpp>
#include <ipu_dsl/kernels/sgd.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Where the gradient of a parameter goes: into its sum over micro-batches or, when that is
/// complete, through the update into the parameter itself. All lie alike.
struct gradient_target {
  float* sum = nullptr;
  float* parameter = nullptr;  ///< null if this kernel never updates
  float* velocity = nullptr;   ///< of the updates that keep one

  constexpr gradient_target at(std::ptrdiff_t element) const {
    return {sum + element, parameter == nullptr ? nullptr : parameter + element,
            velocity == nullptr ? nullptr : velocity + element};
  }
};

/// Which micro-batch of an update this is.
struct gradient_step {
  bool continues = false;  ///< goes on from the sum of those before; otherwise from zero
  bool updates = false;    ///< the last: the gradient is complete
  update_numbers numbers = {};
  bool shared = false;  ///< another core may have read what is written here
};

/// Stores a vector of a gradient, or updates the parameter with it.
template <update_kind Kind, typename Vector>
IPU_DSL_ALWAYS_INLINE void finish_gradient(const gradient_target& to, std::ptrdiff_t element,
                                           const Vector& gradient, const gradient_step& step) {
  if constexpr (Kind != update_kind::none) {
    if (step.updates) {
      float* const kept = slots_of(Kind) > 0 ? to.velocity + element : nullptr;
      update_parameter<Kind>(to.parameter + element, kept, gradient, step.numbers);
      return;
    }
  }
  store(to.sum + element, gradient);
}

/// Asks for what the tile behind this one writes, while this one computes: cache lines that another
/// core has read must be taken from it first. With an update of what nobody else has read it would
/// cost 4 %.
template <std::ptrdiff_t Elements, update_kind Kind>
IPU_DSL_ALWAYS_INLINE void prefetch_next_tile(const gradient_target& to,
                                              const gradient_step& step) {
  if constexpr (Kind != update_kind::none) {
    if (step.updates) {
      prefetch_for_writing<Elements>(to.parameter, Elements);
      if constexpr (slots_of(Kind) > 0) {
        prefetch_for_writing<Elements>(to.velocity, Elements);
      }
      return;
    }
  }
  prefetch_for_writing<Elements>(to.sum, Elements);
}

/// What the tiles of a weight gradient read, `batch` samples of it.
struct gradient_factors {
  const float* x = nullptr;
  const float* d = nullptr;
  std::int32_t batch = 0;
  std::ptrdiff_t x_stride = 0;
  std::ptrdiff_t d_stride = 0;
};

/// `tiles` blocks below each other of `Rows` inputs and `Vectors` vectors of outputs. Each element
/// is one chain of multiply-adds over ascending samples, from its previous value if the chain
/// continues. A call for each block would cost it some 4 %: its reduction is short.
template <layout::architecture Architecture, int Rows, int Vectors, int PanelWidth,
          update_kind Kind>
[[gnu::noinline]] void outer_product_tiles(const gradient_factors& from, const gradient_target& to,
                                           std::int32_t tiles, const gradient_step& step) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  constexpr std::ptrdiff_t tile_elements = std::ptrdiff_t{Rows} * PanelWidth;
  const gradient_step how = step;
  const gradient_factors factors = from;
  gradient_target target = to;
  const float* first_x = factors.x;
  for (std::int32_t tile = 0; tile < tiles; ++tile) {
    lanes sums[std::size_t{Rows}][std::size_t{Vectors}];
    if (how.continues) {
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = load<lanes>(target.sum + row * PanelWidth + v * width);
        }
      }
    } else {
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = lanes(0.0F);
        }
      }
    }
    if (how.shared || !how.updates) {
      prefetch_next_tile<tile_elements, Kind>(target, how);
    }
    const float* x = first_x;
    const float* d = factors.d;
#pragma GCC unroll 1
    for (std::int32_t b = 0; b < factors.batch; ++b) {
      lanes columns[std::size_t{Vectors}];
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        columns[v] = load_once<lanes>(d + v * width);
      }
      IPU_DSL_UNROLLED
      for (int row = 0; row < Rows; ++row) {
        const lanes input(x[row]);
        IPU_DSL_UNROLLED
        for (int v = 0; v < Vectors; ++v) {
          sums[row][v] = multiply_add(input, columns[v], sums[row][v]);
        }
      }
      x += factors.x_stride;
      d += factors.d_stride;
    }
    IPU_DSL_UNROLLED
    for (int row = 0; row < Rows; ++row) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        finish_gradient<Kind>(target, row * PanelWidth + v * width, sums[row][v], how);
      }
    }
    target = target.at(tile_elements);
    first_x += Rows;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
