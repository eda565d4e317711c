// SPDX-License-Identifier: MIT
// The weights of a model as a constant, in the order in which kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// What `write_weights_header` writes and a predictor reads where it lies: weights for vectors of
/// `Lanes` floats and as many registers, of a model whose parameters have the shapes that `Shapes`
/// was computed from. A constant of it lies in memory that is never written.
template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
struct laid_out_weights {
  alignas(64) float stored[Floats];
};

}  // namespace ipu_dsl
