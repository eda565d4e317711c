// SPDX-License-Identifier: MIT
// Where a run of a program stands, so that a large program can run in pieces.
#pragma once

#include <cstdint>

#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// What a run carries from one action to the next, in arrays that belong to somebody else. Clocks
/// start at 1 and actions are counted from 1, so that 0 means "not yet".
struct run_state {
  std::int64_t* finish = nullptr;   ///< [actions + 1] entry 0 is 1, for actions that do not exist
  std::int64_t* start = nullptr;    ///< [actions + 1]
  std::int64_t* free_at = nullptr;  ///< [devices]
  int* cursor = nullptr;            ///< [devices] action index
  int* order = nullptr;             ///< [actions] index of the action that ran as number i
};

/// The state before the first action; all of its arrays must be zero.
constexpr void begin_run(const run_state& state, const program_view& rows) {
  state.finish[0] = 1;
  for (int device = 0; device < rows.devices; ++device) {
    state.cursor[device] = rows.row_begin.data()[device];
    state.free_at[device] = 1;
  }
}

}  // namespace ipu_dsl
