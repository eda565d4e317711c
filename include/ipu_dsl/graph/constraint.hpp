// SPDX-License-Identifier: MIT
// Calls that bring a parameter back to where its constraint wants it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

struct constraint_call {
  constraint_kind kind;
  parameter_extents parameter;
  float rate;  ///< of `min_max_norm`
};

/// Changes a parameter so that it is what its constraint wants. The scalars are the limits of a
/// norm, from above and from below. A norm is that of all weights with the same last index, which
/// stand for one unit, filter or feature, and of a vector that of the whole.
inline constexpr family constraint_family{.name = "constraint"};

/// Once an update, behind it.
constexpr void constrain(emitter& emit, std::int32_t i) {
  const tensor& parameter = emit.parameter(i);
  if (is_null(parameter.rules) || parameter.rules->constraint == constraint_kind::none) {
    return;
  }
  const parameter_rules& rules = *parameter.rules;
  const parameter_extents whole{parameter.lies, parameter.extents};
  const std::int32_t rank = parameter.extents.rank;
  const std::int32_t columns = rank > 1 ? parameter.extents[rank - 1] : 1;
  const auto rows = static_cast<std::int32_t>(parameter.extents.elements()) / columns;
  call_draft call =
      emit.call_of(constraint_family, constraint_call{rules.constraint, whole, rules.rate});
  const bool by_number = rules.constraint == constraint_kind::non_negative;
  const axis_id row = by_number ? call.over(rows) : call.all(rows);
  const axis_id column = call.over(columns);
  call.scalar(rules.limit)
      .scalar(rules.least)
      .updates(emit.parameter_value(i).as({rows, columns}), {row, column});
}

}  // namespace ipu_dsl
