// SPDX-License-Identifier: MIT
// How a parameter or a state starts.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Keras's initialisers by name. The uniform ones draw from [-limit, limit) with
/// limit = sqrt(6 / (fan_in + fan_out)) for glorot, sqrt(6 / fan_in) for he, sqrt(3 / fan_in) for
/// lecun (Glorot and Bengio 2010; He et al. 2015; LeCun et al. 1998).
enum class initializer_kind : std::int32_t {
  zeros,
  ones,
  constant,
  glorot_uniform,
  he_uniform,
  lecun_uniform
};

struct initializer {
  initializer_kind kind = initializer_kind::zeros;
  float value = 0;  ///< of `constant`
};

}  // namespace ipu_dsl
