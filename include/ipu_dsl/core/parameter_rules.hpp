// SPDX-License-Identifier: MIT
// What is asked of a parameter beside its gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// What an update makes of a parameter behind it.
enum class constraint_kind : std::int32_t {
  none,
  non_negative,
  max_norm,     ///< norms are at most a limit
  unit_norm,    ///< norms are 1
  min_max_norm  ///< norms move towards what lies between two limits
};

/// The penalty l1 sum(|w|) + l2 sum(w^2) that a parameter adds to the loss, and its constraint.
struct parameter_rules {
  float l1 = 0;
  float l2 = 0;
  constraint_kind constraint = constraint_kind::none;
  float limit = 0;  ///< of a norm, from above
  float least = 0;  ///< the same from below
  float rate = 1;   ///< the share of the way to these that an update goes

  constexpr bool penalizes() const { return l1 > 0 || l2 > 0; }

  constexpr bool any() const { return penalizes() || constraint != constraint_kind::none; }
};

/// What a layer asks of its parameters, by their names in its family's rule for shapes, and the
/// penalty of what it puts out.
struct weight_rules {
  static constexpr std::size_t most = 7;  ///< parameters of which something can be asked

  struct entry {
    std::string_view parameter;
    parameter_rules rules;
  };

  entry entries[most] = {};
  parameter_rules output = {};
};

}  // namespace ipu_dsl
