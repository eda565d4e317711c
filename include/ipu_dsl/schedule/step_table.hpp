// SPDX-License-Identifier: MIT
// Where in a program every step of every micro-batch stands: the index that keeps the proof, the
// timeline and the slots from searching.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/schedule/step_order.hpp>

namespace ipu_dsl {

/// `count` zeros in `storage`: reserving zeroes without a step of constant evaluation per element.
template <typename T>
constexpr T* reserve_zeros(list<T>& storage, int count) {
  storage.reserve(count);
  return storage.data();
}

/// The indices of a program's actions by role and micro-batch, and by role and order, seen through
/// spans.
struct step_view {
  int micro_batches = 0;
  list_view<int> by_micro_batch;  ///< [rows x micro_batches] index + 1, 0 if there is none
  list_view<int> by_order;        ///< [rows x micro_batches] micro-batch of the k-th in order
  list_view<int> place;           ///< [actions] k, for the role in which the action writes
  list_view<int> count;           ///< [rows] how many actions have the role
};

/// Where the same is written.
struct step_cells {
  int* by_micro_batch = nullptr;
  int* by_order = nullptr;
  int* place = nullptr;
  int* count = nullptr;
};

/// The same in storage of its own, or in arrays handed in, which is how the table of a large
/// program goes from one constant evaluation to the next. What reads it takes raw pointers, one
/// step an access instead of three.
struct step_table : step_view {
  step_cells cells;  ///< null where the table is only read

  /// No entries yet.
  constexpr explicit step_table(const program_view& rows)
      : step_table(rows, static_cast<std::size_t>(rows.stages * step_roles)) {}

  /// The arrays handed in must outlive the table.
  constexpr explicit step_table(const step_view& entered, const step_cells& writable = {})
      : step_view(entered), cells(writable) {}

  step_table(const step_table&) = delete;
  step_table& operator=(const step_table&) = delete;
  constexpr step_table(step_table&&) noexcept = default;
  constexpr step_table& operator=(step_table&&) noexcept = default;
  constexpr ~step_table() = default;

 private:
  constexpr step_table(const program_view& rows, std::size_t role_rows) {
    const std::size_t entries = role_rows * static_cast<std::size_t>(rows.micro_batches);
    const std::size_t actions = rows.actions.size();
    int* const numbers =
        reserve_zeros(storage_, static_cast<int>(2 * entries + actions + role_rows));
    cells = {numbers, numbers + entries, numbers + 2 * entries, numbers + 2 * entries + actions};
    micro_batches = rows.micro_batches;
    by_micro_batch = {cells.by_micro_batch, entries};
    by_order = {cells.by_order, entries};
    place = {cells.place, actions};
    count = {cells.count, role_rows};
  }

  list<int> storage_;
};

/// Enters the actions of one row, which must be in range and in a row for the first time.
class step_entry {
 public:
  constexpr explicit step_entry(step_table& table)
      : micro_batches_(table.micro_batches),
        by_micro_batch_(table.cells.by_micro_batch),
        by_order_(table.cells.by_order),
        place_(table.cells.place),
        count_(table.cells.count) {}

  constexpr void enter(const action& what, int index) {
    if (what.kind < action_kind::update) {
      const int row =
          what.stage * step_roles + static_cast<int>(first_role[static_cast<int>(what.kind)]);
      by_micro_batch_[row * micro_batches_ + what.micro_batch] = index + 1;
      by_order_[row * micro_batches_ + count_[row]] = what.micro_batch;
      place_[index] = count_[row]++;
      if (first_role[static_cast<int>(what.kind)] != last_role[static_cast<int>(what.kind)]) {
        by_micro_batch_[(row + 1) * micro_batches_ + what.micro_batch] = index + 1;
        ++count_[row + 1];
      }
    }
  }

 private:
  int micro_batches_;
  int* by_micro_batch_;
  int* by_order_;
  int* place_;
  int* count_;
};

/// The table of a program that has been proven (its stages and micro-batches are in range and none
/// of its actions stands twice).
constexpr step_table index_steps(const program_view& rows) {
  step_table table(rows);
  step_entry entry(table);
  const action* const actions = rows.actions.data();
  const int count = static_cast<int>(rows.actions.size());
  for (int index = 0; index < count; ++index) {
    entry.enter(actions[index], index);
  }
  return table;
}

/// Whether a program never goes backward.
constexpr bool only_forward(const step_table& table, int stages) {
  for (int stage = 0; stage < stages; ++stage) {
    if (table.count.data()[role_row(stage, step_role::backward_end)] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace ipu_dsl
