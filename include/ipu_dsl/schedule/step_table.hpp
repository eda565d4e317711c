// SPDX-License-Identifier: MIT
// Where in a program every step of every micro-batch stands: the index that keeps the proof, the
// timeline and the slots from searching.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// What an action is to the edges of its stage, in the order of a micro-batch's life. Whole and split
/// backward are brought together: a whole backward both begins and ends the stage's backward, an
/// input gradient begins it, a weight gradient ends it.
enum class step_role : std::uint8_t { forward, recompute, backward_begin, backward_end };

/// Roles a stage; the row of a role in a table is stage x this + role.
inline constexpr int step_roles = 4;

constexpr int role_row(int stage, step_role role) {
  return stage * step_roles + static_cast<int>(role);
}

/// The indices of a program's actions by role and micro-batch, and by role and order. Storage is
/// reserved, not resized: reserving zeroes it without a step of constant evaluation per element.
struct step_table {
  int micro_batches = 0;
  list<int> by_micro_batch;  ///< [rows x micro_batches] action index + 1, 0 if there is none
  list<int> by_order;        ///< [rows x micro_batches] action index + 1 of the k-th in row order
  list<int> place;           ///< [actions] k, for the role in which the action writes
  list<int> count;           ///< [rows] how many actions have the role

  constexpr explicit step_table(const program_view& rows) : micro_batches(rows.micro_batches) {
    const std::size_t role_rows = static_cast<std::size_t>(rows.stages * step_roles);
    const std::size_t cells = role_rows * static_cast<std::size_t>(micro_batches);
    by_micro_batch.reserve(cells);
    by_order.reserve(cells);
    place.reserve(rows.actions.size());
    count.reserve(role_rows);
  }

  /// Enters the action at `index` in a role; actions of a role in the order of their row.
  constexpr void enter(int row, int micro_batch, int index) {
    int& entered = count.data()[row];
    by_micro_batch.data()[row * micro_batches + micro_batch] = index + 1;
    by_order.data()[row * micro_batches + entered] = index + 1;
    place.data()[index] = entered;
    ++entered;
  }

  /// Enters an action in all of its roles. An update has none.
  constexpr void enter(const action& what, int index) {
    const int row = what.stage * step_roles;
    switch (what.kind) {
      case action_kind::forward:
        return enter(row, what.micro_batch, index);
      case action_kind::backward:
        enter(row + static_cast<int>(step_role::backward_end), what.micro_batch, index);
        return enter(row + static_cast<int>(step_role::backward_begin), what.micro_batch, index);
      case action_kind::input_gradient:
        return enter(row + static_cast<int>(step_role::backward_begin), what.micro_batch, index);
      case action_kind::weight_gradient:
        return enter(row + static_cast<int>(step_role::backward_end), what.micro_batch, index);
      case action_kind::recompute:
        return enter(row + static_cast<int>(step_role::recompute), what.micro_batch, index);
      case action_kind::update:
        return;
    }
  }
};

/// The table of a program that has been proven (its stages and micro-batches are in range and none
/// of its actions stands twice).
constexpr step_table index_steps(const program_view& rows) {
  step_table table(rows);
  const action* const actions = rows.actions.data();
  const int count = static_cast<int>(rows.actions.size());
  for (int index = 0; index < count; ++index) {
    table.enter(actions[index], index);
  }
  return table;
}

}  // namespace ipu_dsl
