// SPDX-License-Identifier: MIT
// What is asked of a parameter beside its gradient.
#pragma once

#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The penalty l1 sum(|w|) + l2 sum(w^2) that a parameter adds to the loss.
struct parameter_rules {
  float l1 = 0;
  float l2 = 0;

  constexpr bool penalizes() const { return l1 > 0 || l2 > 0; }

  constexpr bool any() const { return penalizes(); }
};

/// What a layer asks of its parameters, by their names in its family's rule for shapes.
struct weight_rules {
  struct entry {
    std::string_view parameter;
    parameter_rules rules;
  };

  entry entries[3] = {};
};

}  // namespace ipu_dsl
