// SPDX-License-Identifier: MIT
// What comes from a feed for one input or target.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/dtype.hpp>

namespace ipu_dsl {

/// So many inputs and targets a model can have.
inline constexpr int most_sources = 8;

/// So many outputs a model can have.
inline constexpr int most_outputs = 8;

/// So many numbers a model can be told before a run.
inline constexpr int most_run_values = 8;

/// What a feed gives for every sample, once for each input of the model and each target of its
/// loss: how many numbers of which type.
struct source_form {
  dtype type = dtype::float32;  ///< float32, int32 or uint8
  std::int64_t elements = 0;    ///< of a sample
  std::int32_t classes = 0;     ///< integers lie in [0, classes); of floats and bytes 0
};

}  // namespace ipu_dsl
