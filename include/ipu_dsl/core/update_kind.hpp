// SPDX-License-Identifier: MIT
// The updates of a parameter that are elementwise, by name: kernels that complete a gradient can
// end with one.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// With Keras's formulas; g is the accumulated gradient, v what the optimizer keeps:
///   descent   w -= learning_rate * g
///   momentum  v = momentum * v - learning_rate * g,  w += v
///   nesterov  v = momentum * v - learning_rate * g,  w += momentum * v - learning_rate * g
enum class update_kind : std::int32_t { none, descent, momentum, nesterov };

/// How many numbers an update keeps beside each parameter.
constexpr std::int32_t slots_of(update_kind kind) {
  return kind == update_kind::momentum || kind == update_kind::nesterov ? 1 : 0;
}

}  // namespace ipu_dsl
