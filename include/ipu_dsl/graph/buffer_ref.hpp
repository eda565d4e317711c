// SPDX-License-Identifier: MIT
// A piece of memory as a family's rule names it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/storage.hpp>

namespace ipu_dsl {

enum class buffer_role : std::uint8_t {
  value,           ///< of a tensor
  gradient,        ///< of a tensor: the sum over its consumers
  contribution,    ///< to the gradient of a tensor: what one of several consumers adds
  accumulator,     ///< of a parameter's gradient, over the micro-batches of an update
  optimizer_slot,  ///< of a parameter: momentum
  scratch          ///< a family's own, within one micro-batch
};

/// What calls name, before there is memory: a tensor in a role.
struct buffer_ref {
  buffer_role role = buffer_role::value;
  storage lies = storage::rows;
  dtype type = dtype::float32;
  bool by_sample = true;     ///< one for each sample of a micro-batch, as opposed to one for all
  std::int32_t tensor = -1;  ///< whose value, gradient, ... it is; -1 for scratch
  std::int32_t index = 0;    ///< see `buffer_index`
  shape extents;             ///< of one sample, or of the whole parameter, as the rule sees them

  /// The same elements as a tensor of other extents.
  constexpr buffer_ref as(const shape& seen) const {
    buffer_ref made = *this;
    made.extents = seen;
    return made;
  }

  /// The same elements as a vector.
  constexpr buffer_ref flat() const { return as({static_cast<std::int32_t>(extents.elements())}); }

  constexpr bool operator==(const buffer_ref& other) const {
    return role == other.role && tensor == other.tensor && index == other.index;
  }
};

}  // namespace ipu_dsl
