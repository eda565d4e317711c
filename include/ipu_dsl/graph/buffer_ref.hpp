// SPDX-License-Identifier: MIT
// A piece of memory as a family's rule names it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/storage.hpp>

namespace ipu_dsl {

enum class buffer_role : std::uint8_t {
  value,           ///< of a tensor
  gradient,        ///< of a tensor: the sum over its consumers
  contribution,    ///< to the gradient of a tensor: what one of several consumers adds; to a state:
                   ///< what a node makes of one micro-batch
  accumulator,     ///< of the gradient of one use of a parameter, over an update's micro-batches
  optimizer_slot,  ///< of a parameter: momentum
  parameter_sums,  ///< of a parameter: what a stage of its update sums up, block by block
  scratch          ///< a family's own, within one micro-batch
};

/// How long a buffer lives, and so how many copies there are.
enum class buffer_life : std::uint8_t {
  persistent,       ///< one, which lasts as long as the session
  micro_batch,      ///< one a micro-batch in flight, until its last reader is done
  each_micro_batch  ///< one a micro-batch of a run, until the run ends: U and the host read them
                    ///< all
};

inline constexpr std::size_t buffer_lives = 3;

/// What calls name, before there is memory: a tensor in a role, for a life.
struct buffer_ref {
  buffer_role role = buffer_role::value;
  buffer_life life = buffer_life::micro_batch;
  storage lies = storage::rows;
  storage held = storage::rows;  ///< the same of what it is a view of: so is the memory
  dtype type = dtype::float32;
  std::int32_t samples = 1;  ///< so many for each sample of a micro-batch; 0: one for all
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
    return role == other.role && life == other.life && tensor == other.tensor &&
           index == other.index;
  }
};

/// A number that the host gives before a run, as a rule names it.
struct run_value_ref {
  std::int32_t number = 0;  ///< among those of the model
  float start = 0;          ///< until it is given
};

/// How many positions a sample has: all axes but the last count.
constexpr std::int32_t positions_of(const shape& extents) {
  return static_cast<std::int32_t>(extents.elements() / extents[extents.rank - 1]);
}

/// A tensor as (positions, features), which it is in memory where it lies in positions.
constexpr buffer_ref by_position(const buffer_ref& named) {
  const shape& extents = named.extents;
  return named.as({positions_of(extents), extents[extents.rank - 1]});
}

/// Rows that are padded to whole vectors one by one.
struct stored_rows {
  std::int32_t count;   ///< in a micro-batch: samples, or the positions of all samples
  std::int32_t length;  ///< elements of a row
};

}  // namespace ipu_dsl
