// SPDX-License-Identifier: MIT
// The option of optimizers that keep a velocity.
#pragma once

#include <ipu_dsl/core/option.hpp>

namespace ipu_dsl {

inline constexpr option_key momentum_key{"momentum", "optimizer<sgd<momentum>>"};

/// Keeps a velocity beside every parameter: `sgd<momentum>`, `rmsprop<momentum>`.
struct momentum {
  static constexpr option as_option{&momentum_key, 1};
};

}  // namespace ipu_dsl
