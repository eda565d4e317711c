// SPDX-License-Identifier: MIT
// The actions of a row that are one step.
#pragma once

#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// The first and the last action that start together with action `index`.
struct joined_range {
  int first = 0;
  int last = 0;

  constexpr bool contains(int index) const { return index >= first && index <= last; }
};

/// The step of an action whose stage is on a device of the program.
constexpr joined_range joined_with(const program_view& rows, int index) {
  const action* const actions = rows.actions.data();
  // Nearly all actions are joined to nothing, and steps of constant evaluation count.
  if (!actions[index].joined && (index == 0 || !actions[index - 1].joined)) {
    return {index, index};
  }
  const int device = rows.device_of_stage.data()[actions[index].stage];
  joined_range range = {index, index};
  while (range.first > rows.row_begin.data()[device] && actions[range.first - 1].joined) {
    --range.first;
  }
  while (range.last + 1 < rows.row_begin.data()[device + 1] && actions[range.last].joined) {
    ++range.last;
  }
  return range;
}

/// Whether any action of a program is joined to the next one.
constexpr bool joins_any(const program_view& rows) {
  const action* const actions = rows.actions.data();
  const int count = static_cast<int>(rows.actions.size());
  int index = 0;
  while (index < count && !actions[index].joined) {
    ++index;
  }
  return index < count;
}

}  // namespace ipu_dsl
